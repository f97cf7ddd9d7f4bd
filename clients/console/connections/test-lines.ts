import { nextAfter } from './faults.ts'
import type { ConnectionRow, TestStep } from './row.ts'

/** The result of a test, and of the look-up of containers that follows it. */
export interface Tested {
  readonly isOk: boolean
  /** text of the cloud */
  readonly error?: string | undefined
  /** the step that failed; absent for a test that an earlier version recorded */
  readonly step?: TestStep | undefined
  readonly ms?: number
  /** result of the look-up: a number, a fault, or absent while it is not known */
  readonly found?: number | Error | undefined
}

/** The answer of a test, of connections of every kind. */
export interface TestAnswer {
  readonly connection_ok: boolean
  readonly connection_error?: string
  readonly connection_failed_step?: TestStep
}

/** @param began time at which the test was sent, in milliseconds */
export const testedOf = (answer: TestAnswer, began: number): Tested => ({
  isOk: answer.connection_ok,
  error: answer.connection_error,
  step: answer.connection_failed_step,
  ms: performance.now() - began,
})

/** A line of a test: `open` is not known yet. */
export interface Line {
  readonly title: string
  readonly state: 'good' | 'bad' | 'open'
  readonly text: string
  readonly next?: readonly string[]
}

type Named = Pick<ConnectionRow, 'title' | 'faults' | 'finding'>

const TITLES: Readonly<Record<TestStep, string>> = { address: 'Reached', log_in: 'Logged in', permission: 'May list' }
const LATER = 'Known after the connection is saved.'

const failed = (of: Named, step: TestStep, fault: string, words: string | undefined): Line => ({
  ...{ title: TITLES[step], state: 'bad' },
  text: words === undefined ? fault : `${fault} It says: “${words}”`,
  next: nextAfter(of, step, words ?? ''),
})

const passed = (step: TestStep, text: string): Line => ({ title: TITLES[step], state: 'good', text })

function listed(of: Named, { found }: Tested): readonly Line[] {
  if (of.finding === undefined) return []
  const open = (title: string): Line => ({ title, state: 'open', text: LATER })
  if (found === undefined) return [open(TITLES.permission), open('Found')]
  if (found instanceof Error)
    return [failed(of, 'permission', 'The log-in works, but listing is refused.', found.message)]
  const allowed = passed('permission', 'Listing is allowed.')
  if (found === 0) return [allowed, { title: 'Found', state: 'bad', text: of.finding.nothing }]
  return [allowed, { title: 'Found', state: 'good', text: `Choose from ${found} below.` }]
}

/** The lines of a test, in order. A line below a fault is not known. */
export function linesOf(of: Named, tested: Tested): readonly Line[] {
  const { isOk, error, ms, step = 'log_in' } = tested
  const { title } = of
  if (!isOk && step === 'address')
    return [failed(of, step, `${title} could not be reached, or did not answer as it should.`, error)]
  const time = isOk && ms !== undefined ? ` in ${(ms / 1000).toFixed(1)} s` : ''
  const reached = passed('address', `${title} answered${time}.`)
  if (!isOk && step === 'log_in') return [reached, failed(of, step, `${title} refuses these credentials.`, error)]
  const loggedIn = passed('log_in', 'The credentials are accepted.')
  if (!isOk) return [reached, loggedIn, failed(of, step, 'The log-in works, but reading is refused.', error)]
  return [reached, loggedIn, ...listed(of, tested)]
}
