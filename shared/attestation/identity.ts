import { bigintOf, DerError, memberAt, membersOf, readDer, TAG, type Der } from '../crypto/asn1/der.ts'
import { booleanOf } from '../crypto/x509/encoding.ts'
import type { AttestedFacts } from './facts.ts'

/** The extension in which the cloud names the machine of an attestation key. */
export const INSTANCE_IDENTITY = '1.3.6.1.4.1.11129.2.1.21'

/** Tag of an element with the number `[1]`, explicit. */
const CONTEXT_1 = 0xa1
const MEMBERS = 5

/** Ours: the longest name of a place or machine; the cloud's have at most 63 characters. */
const NAME_BYTES = 255

function nameAt(members: readonly Der[], index: number): string {
  const { body } = memberAt(members, index, TAG.utf8String)
  if (body.length === 0 || body.length > NAME_BYTES) throw new DerError('a name is empty or too long')
  return body.toString('utf8')
}

/** @throws DerError for a negative number, and one of more than 64 bits */
function numberAt(members: readonly Der[], index: number): string {
  const value = bigintOf(memberAt(members, index, TAG.integer))
  if (value >= 2n ** 64n) throw new DerError('a number of more than 64 bits')
  return value.toString()
}

/** Whether the cloud's security properties state a machine of production. Absent means false. @throws DerError */
function isProduction(properties: Der | undefined): boolean {
  if (properties === undefined) return false
  if (properties.tag !== TAG.context0) throw new DerError('another element was expected')
  const members = membersOf(readDer(properties.body, TAG.sequence))
  const version = members.find(({ tag }) => tag === TAG.context0)
  if (version !== undefined) bigintOf(readDer(version.body, TAG.integer))
  const production = members.find(({ tag }) => tag === CONTEXT_1)
  return production !== undefined && booleanOf(readDer(production.body))
}

/**
 * The machine that the certificate of its attestation key names; empty for a machine outside of production.
 * @throws DerError
 */
export function identityIn(extension: Buffer): AttestedFacts {
  const members = membersOf(readDer(extension, TAG.sequence))
  if (members.length > MEMBERS + 1) throw new DerError('an element too many')
  const facts = {
    zone: nameAt(members, 0),
    project_number: numberAt(members, 1),
    project_id: nameAt(members, 2),
    instance_id: numberAt(members, 3),
    instance_name: nameAt(members, 4),
  }
  return isProduction(members[MEMBERS]) ? facts : {}
}
