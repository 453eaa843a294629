# bash finds a command's completion by its name.
if BASH_COMPLETION
dist_bashcompletion_DATA = src/completion/loadbank
endif
