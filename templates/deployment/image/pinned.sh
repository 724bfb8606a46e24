#!/bin/sh
# Refuses images that are named by a tag: a tag may be another image tomorrow. One image a line comes in:
#   docker compose config --images | sh pinned.sh
#   kubectl kustomize . | sed -n 's/^ *-* *image: *//p' | sh pinned.sh
set -eu
found=0
wrong=0
while read -r image; do
  [ -n "$image" ] || continue
  found=$((found + 1))
  case "$image" in
    *@sha256:*)
      digest=${image##*@sha256:}
      if [ "${#digest}" -eq 64 ] && [ -z "$(printf %s "$digest" | tr -d 0-9a-f)" ]; then continue; fi
      echo "$image: this is no digest; it has 64 digits of 0 to 9 and a to f." >&2
      ;;
    *) echo "$image: named by a tag. Write its digest: docker buildx imagetools inspect $image --format '{{.Manifest.Digest}}'" >&2 ;;
  esac
  wrong=$((wrong + 1))
done
if [ "$found" -eq 0 ]; then
  echo "no image came in" >&2
  exit 2
fi
[ "$wrong" -eq 0 ]
