# Libraries that may be missing; what needs them then says so.
#
# LB_OPTIONAL(NAME, OPTION, MODULE, WITHOUT)
#   by pkg-config's MODULE.  Adds --without-OPTION with the help text WITHOUT;
#   sets NAME_CFLAGS and NAME_LIBS, defines HAVE_NAME.
# LB_OPTIONAL_HEADER(NAME, OPTION, LIBRARY, HEADER, FUNCTION, WITHOUT)
#   the same for one that pkg-config does not know everywhere.
#
# The options that are there are in lb_optional_found, the others in
# lb_optional_absent.
AC_DEFUN([LB_OPTIONAL_ARG], [
  AC_ARG_WITH([$2], [AS_HELP_STRING([--without-$2], [$3])],
    [], [with_$2=maybe])
])

# After the search: with_OPTION is yes, maybe (both: found) or no.
AC_DEFUN([LB_OPTIONAL_END], [
  AS_IF([test "x$with_$2" = xno],
    [lb_optional_absent="$lb_optional_absent $2"],
    [lb_optional_found="$lb_optional_found $2"
     AC_DEFINE([HAVE_$1], [1], [Define if $2 is used])])
])

AC_DEFUN([LB_OPTIONAL], [
  LB_OPTIONAL_ARG([$1], [$2], [$4])
  AS_IF([test "x$with_$2" != xno],
    [PKG_CHECK_MODULES([$1], [$3], [],
      [AS_IF([test "x$with_$2" = xyes], [AC_MSG_ERROR([$$1_PKG_ERRORS])])
       with_$2=no])])
  LB_OPTIONAL_END([$1], [$2])
])

AC_DEFUN([LB_OPTIONAL_HEADER], [
  LB_OPTIONAL_ARG([$1], [$2], [$6])
  AC_ARG_VAR([$1_LIBS], [linker flags for $3])
  AS_IF([test "x$with_$2" != xno],
    [lb_save_LIBS=$LIBS
     $1_LIBS=${$1_LIBS:--l$3}
     LIBS="$$1_LIBS $LIBS"
     AC_CHECK_HEADER([$4], [AC_CHECK_FUNC([$5], [lb_have=yes], [lb_have=no])],
       [lb_have=no])
     LIBS=$lb_save_LIBS
     AS_IF([test $lb_have = no],
       [AS_IF([test "x$with_$2" = xyes],
          [AC_MSG_ERROR([$2: its header $4 or its library is missing])])
        with_$2=no $1_LIBS=])])
  LB_OPTIONAL_END([$1], [$2])
])
