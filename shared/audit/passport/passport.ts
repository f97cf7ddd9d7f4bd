import { SignJWT } from 'jose'
import { environment } from '../../base/environment.ts'
import { toSeconds } from '../../base/time.ts'
import type { Context } from '../../http/context.ts'
import { EVIDENCE_ALGORITHM, evidenceSigner } from '../evidence/key.ts'
import { evidenceFor } from './evidence.ts'
import type { KeyPassport } from './model.ts'
import { relatedRecords, type RelatedRecords, type Subjects } from './related-records.ts'

/** `typ` of a passport: no other token of the service passes for one. @see RFC 8725 §3.11 */
const TYPE = 'keymgr-passport+jwt'

/** What a passport says of its key, without secrets. */
export interface KeyFacts {
  readonly key: Readonly<Record<string, unknown>>
  /** newest last */
  readonly versions: readonly Readonly<Record<string, unknown>>[]
  /** each way that material of the key took, oldest first */
  readonly material: readonly object[]
}

/**
 * A signed statement about a key, by the evidence key of its domain as the heads of its tree are. It says when it was made and does not expire: it states what was true then.
 * @param factsOf is told of the audit records that are found about the key
 */
export async function passportOf(
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  subjects: Subjects,
  factsOf: (records: RelatedRecords['records']) => KeyFacts | Promise<KeyFacts>,
): Promise<KeyPassport> {
  const domain = caller.domain.id
  const { records, isComplete } = await relatedRecords(domain, subjects)
  const claims = {
    iss: environment().KEYMGR_BASE_URL,
    domain,
    ...(await factsOf(records)),
    evidence: {
      ...(await evidenceFor(domain, records)),
      complete: isComplete,
      // Records leave after their retention: those of an older key may be in exports only.
      records_since: records[0]?.createdAt ?? null,
    },
  }
  const { kid, key } = await evidenceSigner(domain, now)
  const passport = await new SignJWT(claims)
    .setProtectedHeader({ alg: EVIDENCE_ALGORITHM, typ: TYPE, kid })
    .setIssuedAt(toSeconds(now))
    .sign(key)
  return { passport }
}
