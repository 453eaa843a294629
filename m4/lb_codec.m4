# LB_CODEC(OPTION, LIBRARY, HEADER, HAVE, VARIABLE, FUNCTION): a library of
# compressed streams, which may be absent.  VARIABLE has the linker's flags.
AC_DEFUN([LB_CODEC],
  [AC_ARG_WITH([$1],
     [AS_HELP_STRING([--without-$1], [no csv files compressed with $1])])
   $5=
   AS_IF([test "x$with_$1" != xno],
     [AC_CHECK_HEADER([$3],
        [AC_CHECK_LIB([$2], [$6],
           [$5=-l$2
            AC_DEFINE([$4], [1], [Define if lib$2 is used])])])
      AS_IF([test -z "$$5"],
        [AS_IF([test "x$with_$1" = xyes],
           [AC_MSG_ERROR([--with-$1: no usable lib$2])])
         with_$1=no])])
   AC_SUBST([$5])])
