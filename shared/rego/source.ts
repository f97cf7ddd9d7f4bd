import type { Place } from './errors.ts'

/** A policy's text and its name in messages; rows and columns are computed on demand. */
export class Source {
  readonly file: string
  readonly text: string
  #rows: number[] | undefined

  constructor(text: string, file: string) {
    this.text = text
    this.file = file
  }

  place(at: number): Place {
    const rows = (this.#rows ??= rowStarts(this.text))
    let low = 0
    let high = rows.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((rows[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return { file: this.file, row: low + 1, column: at - (rows[low] ?? 0) + 1 }
  }
}

function rowStarts(text: string): number[] {
  const starts = [0]
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1)
  return starts
}
