#!/usr/bin/env python3
"""Each link touches a file, forks the next in a session of its own and ends, without a mark: whoever looks sees another."""
import os, sys, time
open(sys.argv[1], "w").close()
os.closerange(3, 1024)
os.environ.clear()
end = time.monotonic() + float(sys.argv[2])
for _ in range(int(sys.argv[3])):
    if os.fork() == 0:
        while time.monotonic() < end:
            if os.fork() != 0:
                os._exit(0)
            os.setsid()
            os.utime(sys.argv[1])
        os._exit(0)
