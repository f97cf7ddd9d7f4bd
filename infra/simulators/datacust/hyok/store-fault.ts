import type { OutboundFault } from '../../toolkit/outbound.ts'

/**
 * A failed call to a key store: `refused` by a status other than 200, `malformed`: an answer outside of the protocol, or
 * no answer at all.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  readonly problem: 'refused' | 'malformed' | OutboundFault['problem']
  /** Of a refusal. */
  readonly status: number | undefined
  /** Of a refusal, as text. */
  readonly body: string | undefined

  constructor(
    problem: StoreFault['problem'],
    detail: string,
    refusal?: { readonly status: number; readonly text: string },
  ) {
    super(`The key store: ${problem} (${detail})`)
    this.problem = problem
    this.status = refusal?.status
    this.body = refusal?.text
  }
}

export const malformed = (detail: string) => new StoreFault('malformed', detail)
