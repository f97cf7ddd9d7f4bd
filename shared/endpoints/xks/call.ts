import type { Moment } from '../../base/moment.ts'
import type { ServedStore } from './key-store.ts'
import type { MetadataField } from './body.ts'

/** A request whose signature is good, to a store that is not blocked, with a body of the right form. */
export interface XksCall {
  readonly store: ServedStore
  readonly keyId: string
  readonly body: Readonly<Record<string, unknown>>
  readonly now: Moment
}

/** One operation of the protocol. */
export interface XksVerb {
  /** of `requestMetadata` */
  readonly requires: readonly MetadataField[]
  /** What is answered with status 200. @throws XksRefusal, Refusal */
  readonly answer: (call: XksCall) => Promise<object>
}
