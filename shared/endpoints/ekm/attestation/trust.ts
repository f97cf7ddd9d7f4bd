import { authoritiesIn, isRoot, trustIn, type AttestationTrust } from '../../../attestation/trust.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { patched, without } from '../../../base/fields.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import type { Kind } from '../../../resource/kind.ts'
import { changeRecord, getRecord } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { TRUST_FIELDS, type AttestationTrustRecord, type TrustField, type UpdateAttestationTrust } from './model.ts'
import { TRUST_ID } from './record.ts'
import { attestationTrust, type StoredTrust } from './store.ts'

const storedTrust = async (): Promise<Stored<StoredTrust>> =>
  (await attestationTrust.get(ROOT_DOMAIN_ID, TRUST_ID)) ?? { item: { id: TRUST_ID }, rev: 0 }

const presentAuthorities = (record: StoredTrust): AttestationTrustRecord['authorities'] =>
  TRUST_FIELDS.flatMap((field) =>
    (authoritiesIn(record[field] ?? '') ?? []).map((certificate) => ({
      field,
      subject: certificate.subject.replaceAll('\n', ', '),
      notAfter: certificate.validToDate.toISOString(),
      sha256Fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    })),
  )

/** The one record of the deployment; revision 0 until it is changed. */
const kind: Kind<StoredTrust, object, AttestationTrustRecord> = {
  entity: attestationTrust,
  noun: 'setting',
  domain: ROOT_DOMAIN_ID,
  uri: (domain) => resourceUri(domain, 'keymgr', 'ekm-attestation-trust', TRUST_ID),
  find: storedTrust,
  nameOf: () => TRUST_ID,
  audited: (record) => ({
    authorities: presentAuthorities(record).map(({ field, sha256Fingerprint }) => `${field} ${sha256Fingerprint}`),
  }),
  present: (record) => ({ ...without(record, 'id'), authorities: presentAuthorities(record) }),
}

/**
 * Ours: a session names no endpoint and therefore no domain, so the authorities belong to the deployment. Other domains
 * neither see nor change them.
 * @throws Refusal ACTION_DENIED
 */
function assertRoot({ caller }: Context): void {
  if (caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal(
      'ACTION_DENIED',
      'The authorities of evidence belong to the deployment: the root domain has them.',
    )
}

/** @throws Refusal RULE_BROKEN */
function assertAuthorities(field: TrustField, text: string | undefined): void {
  if (text === undefined) return
  const certificates = authoritiesIn(text) ?? []
  if (certificates.length === 0)
    throw ruleBroken(field, 'must be certificates of authorities in PEM, with a key and signature of a known kind')
  if (field.endsWith('_roots') && !certificates.every(isRoot))
    throw ruleBroken(field, 'must be certificates that are signed with their own key')
}

/** @throws Refusal ACTION_DENIED */
export function getTrust(context: Context): Promise<Stored<AttestationTrustRecord>> {
  assertRoot(context)
  return getRecord(kind, context, TRUST_ID)
}

/** Takes effect within five seconds. @throws Refusal ACTION_DENIED, RULE_BROKEN, VERSION_STALE */
export function updateTrust(context: Context, body: UpdateAttestationTrust): Promise<Stored<AttestationTrustRecord>> {
  assertRoot(context)
  return changeRecord(kind, context, TRUST_ID, (record) => {
    const changed: StoredTrust = patched(record, body)
    for (const field of TRUST_FIELDS) assertAuthorities(field, changed[field])
    return changed
  })
}

/** The authorities at present. */
export const presentTrust = async (): Promise<AttestationTrust> => trustIn((await storedTrust()).item)
