import { readFault } from './faults.ts'
import type { ConnectionRow } from './row.ts'

/** The result of a test, and of the look-up of containers that follows it. */
export interface Tested {
  readonly isOk: boolean
  /** text of the cloud */
  readonly error?: string | undefined
  readonly ms?: number
  /** result of the look-up: a number, a fault, or absent while it is not known */
  readonly found?: number | Error | undefined
}

/** A line of a test: `open` is not known yet. */
export interface Line {
  readonly title: string
  readonly state: 'good' | 'bad' | 'open'
  readonly text: string
  readonly next?: readonly string[]
}

type Named = Pick<ConnectionRow, 'title' | 'faults' | 'finding'>

const quoted = (text: string | undefined): string => (text === undefined ? '' : ` It says: “${text}”`)

function reached({ title }: Named, { isOk, ms }: Tested, isFault: boolean): Line {
  if (isFault) return { title: 'Reached', state: 'bad', text: `${title} could not be reached from this service.` }
  const time = isOk && ms !== undefined ? ` in ${(ms / 1000).toFixed(1)} s` : ''
  return { title: 'Reached', state: 'good', text: `${title} answered${time}.` }
}

function listed(of: Named, { found, error }: Tested, isFault: boolean): Line {
  const title = 'May list'
  if (found instanceof Error || isFault) {
    const text = found instanceof Error ? found.message : error
    return {
      ...{ title, state: 'bad', text: `The log-in works, but listing is refused.${quoted(text)}` },
      next: readFault(of, text ?? '').next,
    }
  }
  if (found === undefined) return { title, state: 'open', text: 'Known after the connection is saved.' }
  return { title, state: 'good', text: 'Listing is allowed.' }
}

function foundLine({ finding }: Named, { found }: Tested): Line {
  const title = 'Found'
  if (typeof found !== 'number') return { title, state: 'open', text: 'Known after the connection is saved.' }
  if (found === 0) return { title, state: 'bad', text: finding?.nothing ?? '' }
  return { title, state: 'good', text: `Choose from ${found} below.` }
}

/** The lines of a test, in order. A line below a fault is not known. */
export function linesOf(of: Named, tested: Tested): readonly Line[] {
  const fault = tested.isOk ? undefined : readFault(of, tested.error ?? '')
  const at = fault?.line
  const first = { ...reached(of, tested, at === 'reached'), ...(at === 'reached' && { next: fault?.next ?? [] }) }
  if (at === 'reached') return [{ ...first, text: `${first.text}${quoted(tested.error)}` }]
  if (at === 'logged-in') {
    const text = `${of.title} refuses these credentials.${quoted(tested.error)}`
    return [first, { title: 'Logged in', state: 'bad', text, next: fault?.next ?? [] }]
  }
  const loggedIn: Line = { title: 'Logged in', state: 'good', text: 'The credentials are accepted.' }
  if (of.finding === undefined) return [first, loggedIn]
  const third = listed(of, tested, at === 'may-list')
  return third.state === 'bad' ? [first, loggedIn, third] : [first, loggedIn, third, foundLine(of, tested)]
}
