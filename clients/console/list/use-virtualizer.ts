import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/virtual-core'
import { useLayoutEffect, useReducer, useState } from 'preact/hooks'

interface Sized {
  readonly count: number
  readonly rowPixels: number
  readonly scroller: () => HTMLElement | null
}

/** Rows that are drawn above and below the visible ones, so that scrolling shows no gap. */
const OVERSCAN = 8

/** Determines which of many rows of the same height are drawn. The library has no adapter for Preact; this is one. */
export function useVirtualizer({ count, rowPixels, scroller }: Sized): Virtualizer<HTMLElement, HTMLElement> {
  const [, draw] = useReducer<number, undefined>((drawn) => drawn + 1, 0)
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    count,
    getScrollElement: scroller,
    estimateSize: () => rowPixels,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(undefined),
  }
  const [virtualizer] = useState(() => new Virtualizer(options))
  virtualizer.setOptions(options)
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  useLayoutEffect(() => virtualizer.measure(), [rowPixels])
  return virtualizer
}
