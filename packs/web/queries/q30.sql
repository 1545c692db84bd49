-- Forty sums of one column
SELECT sum(screen_width + 0) AS s0, sum(screen_width + 1) AS s1, sum(screen_width + 2) AS s2, sum(screen_width + 3) AS s3,
       sum(screen_width + 4) AS s4, sum(screen_width + 5) AS s5, sum(screen_width + 6) AS s6, sum(screen_width + 7) AS s7,
       sum(screen_width + 8) AS s8, sum(screen_width + 9) AS s9, sum(screen_width + 10) AS s10, sum(screen_width + 11) AS s11,
       sum(screen_width + 12) AS s12, sum(screen_width + 13) AS s13, sum(screen_width + 14) AS s14, sum(screen_width + 15) AS s15,
       sum(screen_width + 16) AS s16, sum(screen_width + 17) AS s17, sum(screen_width + 18) AS s18, sum(screen_width + 19) AS s19,
       sum(screen_width + 20) AS s20, sum(screen_width + 21) AS s21, sum(screen_width + 22) AS s22, sum(screen_width + 23) AS s23,
       sum(screen_width + 24) AS s24, sum(screen_width + 25) AS s25, sum(screen_width + 26) AS s26, sum(screen_width + 27) AS s27,
       sum(screen_width + 28) AS s28, sum(screen_width + 29) AS s29, sum(screen_width + 30) AS s30, sum(screen_width + 31) AS s31,
       sum(screen_width + 32) AS s32, sum(screen_width + 33) AS s33, sum(screen_width + 34) AS s34, sum(screen_width + 35) AS s35,
       sum(screen_width + 36) AS s36, sum(screen_width + 37) AS s37, sum(screen_width + 38) AS s38, sum(screen_width + 39) AS s39
FROM visits;
