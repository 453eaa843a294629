libloadbank_a_SOURCES += \
  include/loadbank/page.h \
  src/page/csv.c \
  src/page/html.c \
  src/page/json.c \
  src/page/markdown.c \
  src/page/page.c \
  src/page/page_impl.h \
  src/page/text.c
