import type { Fields } from '../../../base/json.ts'
import type { ConfidentialVerb } from './address.ts'
import { unwrap, wrap, type EkmVerb, type EnvelopeVerb } from './verbs.ts'

/** The session part of a verb, loaded at the first call. */
const enveloped = () => import('./sessions/envelope.ts')
type Enveloped = Awaited<ReturnType<typeof enveloped>>

/**
 * A verb within a session. Its message is in the records, so that it is read, and the policy decides about it, once the
 * session is opened.
 */
const within = (verb: EnvelopeVerb, content: 'plaintext' | 'wrappedBlob'): EkmVerb<Fields, Enveloped> => ({
  keyType: verb.keyType,
  isWithinSession: true,
  read: ({ fields }) => fields,
  key: enveloped,
  use: (call, _fields, { answerWithin }) => answerWithin(call, verb, content),
})

export const CONFIDENTIAL: Readonly<Record<ConfidentialVerb, EkmVerb>> = {
  confidentialwrap: within(wrap, 'plaintext'),
  confidentialunwrap: within(unwrap, 'wrappedBlob'),
}
