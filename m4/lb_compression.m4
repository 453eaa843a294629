# LB_COMPRESSION(NAME, LIBRARY, HEADER, FUNCTION)
#
# A library that compresses, and may be missing: --without-LIBRARY.
# Sets NAME_LIBS, defines HAVE_NAME, adds to lb_compressions.  pkg-config does
# not know all of them everywhere, so that the header and the function decide.
AC_DEFUN([LB_COMPRESSION], [
  AC_ARG_VAR([$1_LIBS], [linker flags for $2])
  AC_ARG_WITH([$2],
    [AS_HELP_STRING([--without-$2], [no Parquet files compressed with $2])])
  AS_IF([test "x$with_$2" != xno], [
    lb_save_LIBS=$LIBS
    $1_LIBS=${$1_LIBS:--l$2}
    LIBS="$$1_LIBS $LIBS"
    AC_CHECK_HEADER([$3],
      [AC_CHECK_FUNC([$4], [lb_have_$2=yes], [lb_have_$2=no])],
      [lb_have_$2=no])
    LIBS=$lb_save_LIBS
    AS_IF([test $lb_have_$2 = yes],
      [AC_DEFINE([HAVE_$1], [1], [Define if $2 is used])
       lb_compressions="$lb_compressions $2"],
      [AS_IF([test "x$with_$2" = xyes],
         [AC_MSG_ERROR([$2: its header $3 or its library is missing])])
       $1_LIBS=])
  ], [$1_LIBS=])
])
