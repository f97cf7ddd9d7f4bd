import { SignJWT } from 'jose'
import { environment } from '../../base/environment.ts'
import { toSeconds } from '../../base/time.ts'
import type { Context } from '../../http/context.ts'
import { EVIDENCE_ALGORITHM, evidenceSigner } from '../evidence/key.ts'
import { evidenceFor } from './evidence.ts'
import type { KeyPassport } from './model.ts'
import { relatedRecords, type RelatedRecords, type Subjects } from './related-records.ts'

/** `typ` of a passport; no other token of the service has it. @see RFC 8725 §3.11 */
const TYPE = 'keymgr-passport+jwt'

/** The content of a passport about its key, without secrets. */
export interface KeyFacts {
  readonly key: Readonly<Record<string, unknown>>
  /** newest last */
  readonly versions: readonly Readonly<Record<string, unknown>>[]
  /** each transfer of the key's material, oldest first */
  readonly material: readonly object[]
}

/**
 * A signed statement about a key, made with the evidence key of its domain, which also signs the heads of its tree. It
 * contains its time and does not expire: it states the facts of that time.
 * @param factsOf receives the audit records on the key
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
      // Records are deleted after their retention; exports may contain those of an older key.
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
