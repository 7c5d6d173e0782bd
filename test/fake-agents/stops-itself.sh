#!/bin/sh
# Stops as Ctrl-Z would stop it, and would never go on by itself.
echo "stopping $$"
kill -STOP $$
echo "went on"
