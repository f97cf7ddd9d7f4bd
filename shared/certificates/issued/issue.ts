import { Refusal, ruleBroken } from '../../base/errors.ts'
import { commonFields, uuid } from '../../base/ids.ts'
import { without } from '../../base/fields.ts'
import { issueCertificate, newSerial } from '../../crypto/x509/certificate.ts'
import { nameText, valuesOf } from '../../crypto/x509/names.ts'
import { readRequest, type CertificateRequest } from '../../crypto/x509/request.ts'
import { hasGroup, type Context } from '../../http/context.ts'
import { ADMIN_GROUP, isSystemGroup } from '../../identity/groups/model.ts'
import { groups } from '../../identity/groups/store.ts'
import { heldGroupIds, users } from '../../identity/users/store.ts'
import { subjectKeyOf } from '../../identity/users/ways-in.ts'
import { findRecord, stageNew, assertNameFree } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { pointingAt } from '../../vault/keys/material/material.ts'
import { certified, localCaKind, type CertifiedCa } from '../authorities/records.ts'
import { localCas } from '../authorities/store.ts'
import { withAuthorityKey } from '../authority-key.ts'
import { factsOf } from '../facts.ts'
import { publishedAt, uriOf } from '../identifiers.ts'
import { validityOf, type Validity } from '../validity.ts'
import type { IssueCertificate, IssuedCertificate } from './model.ts'
import { certificateKind } from './records.ts'
import type { StoredCertificate } from './store.ts'

const ISSUED_DAYS = 365

/** The contents of a certificate to issue. */
interface Wanted extends Pick<CertificateRequest, 'altNames' | 'publicKey'> {
  /** DER of the subject */
  readonly name: Buffer
  readonly purpose: IssueCertificate['purpose']
  readonly validity: Validity
  /** name of its record; default: `cert-<id>` */
  readonly recordName?: string | undefined
  readonly warnings?: readonly string[]
}

/**
 * Signs a certificate, once per request. If its authority is deleted meanwhile, nothing is issued.
 * @returns the record of the certificate, in the domain of its authority, which is the caller's; the caller stages it
 * @throws Refusal STATE_CONFLICT, USAGE_DENIED unless the authority's key signs, RULE_BROKEN for names that cannot be
 * granted
 */
export async function issued(
  { caller, changes, now, once }: Pick<Context, 'caller' | 'changes' | 'now' | 'once'>,
  issuer: CertifiedCa,
  { name: subject, altNames, publicKey, purpose, validity, recordName, warnings = [] }: Wanted,
): Promise<StoredCertificate> {
  const domain = caller.domain.id
  const id = uuid(now)
  const cert = await once(`certificate ${issuer.id} ${validity.notAfter.toISOString()}`, () =>
    withAuthorityKey({ domain, keyId: issuer.key_id, now }, 'certificateSign', (key) =>
      issueCertificate({
        issuer: { pem: issuer.cert, key },
        ...{ subject, altNames, publicKey, purpose },
        serial: newSerial(),
        ...validity,
        ...publishedAt(issuer.id),
      }),
    ),
  )
  changes.relyOnPresence(localCas, domain, issuer.id)
  return {
    ...commonFields(domain, id, uriOf(domain, 'certificate', id), now),
    name: recordName ?? `cert-${id}`,
    ca: issuer.uri,
    ca_id: issuer.id,
    by_admin: hasGroup(caller, ADMIN_GROUP),
    purpose,
    ...without(factsOf(cert), 'sha1Fingerprint', 'sha512Fingerprint'),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  }
}

/** Signs a certificate, and stages its record as the subject of the request. @throws Refusal as `issued` */
export const stageCertificate = async (
  context: Context,
  issuer: CertifiedCa,
  wanted: Wanted,
): Promise<Stored<IssuedCertificate>> => stageNew(certificateKind, context, await issued(context, issuer, wanted))

const CLIENT_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Ours: the attribute UID contains ids of clients, which log-ins read, so only registrations may write it.
 * @throws Refusal RULE_BROKEN
 */
export function assertNoClientId(subject: Buffer): void {
  if (valuesOf(subject, 'UID').some((value) => CLIENT_ID.test(value.trim())))
    throw ruleBroken('csr', 'must have no id of a client in its subject (UID)')
}

/** Clients of a server look for its name only among the alternative names. @see RFC 9525 §2 */
const warningsOf = (purpose: IssueCertificate['purpose'], { altNames }: CertificateRequest): string[] =>
  purpose === 'server' && altNames.dns.length + altNames.ip.length + altNames.uri.length === 0
    ? ['The request has no alternative name: clients do not take the common name for that of a server.']
    : []

/**
 * Ours: a certificate with the subject of a member of a system group could log in as them, so only `admin` issues it.
 * @throws Refusal ACTION_DENIED
 */
async function assertMayCertify({ caller }: Pick<Context, 'caller'>, subject: Buffer): Promise<void> {
  if (hasGroup(caller, ADMIN_GROUP)) return
  const key = subjectKeyOf(nameText(subject))
  const user = key === undefined ? undefined : await users.find(caller.domain.id, 'subject', key)
  if (user === undefined) return
  const held = await groups.getMany(caller.domain.id, heldGroupIds(user.item))
  if (user.item.guest_in.length > 0 || held.some(({ item }) => isSystemGroup(item.name)))
    throw new Refusal(
      'ACTION_DENIED',
      'The subject is that of a member of a group that comes with the service: members of admin issue its certificates.',
    )
}

/**
 * Issues a certificate for a request, with its names and key. Other content of the request is ignored.
 * @throws Refusal NOT_FOUND; NAME_TAKEN; STATE_CONFLICT unless the authority and its key are active; RULE_BROKEN for a
 * request that cannot be granted, or a certificate that would outlive its authority
 */
export async function issue(
  context: Context,
  authorityId: string,
  body: IssueCertificate,
): Promise<Stored<IssuedCertificate>> {
  const { now } = context
  const authority = await findRecord(localCaKind, context, authorityId)
  const issuer = certified(authority.item, now)
  const { name: recordName, purpose, csr } = body
  if (recordName !== undefined) await assertNameFree(certificateKind, context, recordName)
  const request = await pointingAt('#/csr', () => readRequest(csr))
  assertNoClientId(request.name)
  await assertMayCertify(context, request.name)
  const validity = validityOf(body, now, ISSUED_DAYS, issuer)
  const warnings = warningsOf(purpose, request)
  return stageCertificate(context, issuer, { ...request, purpose, validity, recordName, warnings })
}
