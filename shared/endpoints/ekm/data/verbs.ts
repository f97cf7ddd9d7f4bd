import type { KeyVerb } from './address.ts'
import { asymmetricSign } from './asymmetric-sign.ts'
import type { EkmVerb } from './call.ts'
import { getPublicKey } from './get-public-key.ts'
import { unwrap } from './unwrap.ts'
import { wrap } from './wrap.ts'

/** Every verb on a key. */
export const VERBS: Readonly<Record<KeyVerb, EkmVerb>> = { wrap, unwrap, asymmetricSign, getPublicKey }
