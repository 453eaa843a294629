#include "lb-config.h"
#include "tap.h"
int main(void){return done();}
