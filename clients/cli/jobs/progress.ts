import type { Progress as Done } from '../../sdk/jobs.ts'
import { printable } from '../output/printable.ts'
import { now } from '../session/clock.ts'

const WIDTH = 30

/** The output of progress: the standard error, which keeps it apart from answers. */
interface Terminal {
  readonly isTTY?: boolean
  readonly write: (text: string) => boolean
}

function barOf({ done, total }: Done): string {
  if (done === undefined || total === undefined || total === 0) return ''
  const share = Math.min(1, done / total)
  const full = Math.round(share * WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${Math.floor(share * 100)} % `
}

function countOf({ done, total }: Done): string {
  if (done === undefined) return ''
  return total === undefined ? `, ${done} done` : `, ${done} of ${total}`
}

/** ` about 3 min left`; nothing when the end is not known or has passed. */
function leftOf({ ends }: Done): string {
  const seconds = ends === undefined ? 0 : Math.ceil((Date.parse(ends) - now()) / 1_000)
  if (!(seconds > 0)) return ''
  const minutes = Math.ceil(seconds / 60)
  const words = seconds < 60 ? `${seconds} s` : minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  return `, about ${words} left`
}

/** The progress of a job: on a terminal a bar that is redrawn, elsewhere a line for each change. */
export class Progress {
  #last = ''
  #isOpen = false
  readonly #to: Terminal

  constructor(to: Terminal) {
    this.#to = to
  }

  show(status: string, done: Done): void {
    const text = `${printable(status)}${countOf(done)}`
    if (this.#to.isTTY === true) {
      this.#to.write(`\r\u001b[K${barOf(done)}${text}${leftOf(done)}`)
      this.#isOpen = true
    } else if (text !== this.#last) this.#to.write(`${text}\n`)
    this.#last = text
  }

  /** Shows a sentence below the bar. */
  note(sentence: string): void {
    this.end()
    this.#to.write(`${sentence}\n`)
  }

  end(): void {
    if (this.#isOpen) this.#to.write('\n')
    this.#isOpen = false
  }
}
