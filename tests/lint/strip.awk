# SPDX-License-Identifier: GPL-3.0-or-later
# Prints `FILE:LINE:text' of C sources without comments and without what
# stands inside quotes, so that a word in a message is no call.
function strip(s,    out, c, two)
{
  out = ""
  while (s != "") {
    c = substr(s, 1, 1)
    two = substr(s, 1, 2)
    if (comment) {
      if (two == "*/") {
        comment = 0
        s = substr(s, 3)
      } else
        s = substr(s, 2)
    } else if (quote != "") {
      if (c == "\\")
        s = substr(s, 3)
      else {
        if (c == quote) {
          quote = ""
          out = out c
        }
        s = substr(s, 2)
      }
    } else if (two == "/*") {
      comment = 1
      s = substr(s, 3)
    } else if (two == "//")
      s = ""
    else {
      if (c == "\"" || c == "'")
        quote = c
      out = out c
      s = substr(s, 2)
    }
  }
  if ($0 !~ /\\$/)
    quote = ""
  return out
}
FNR == 1 { comment = 0; quote = "" }
{ print FILENAME ":" FNR ":" strip($0) }
