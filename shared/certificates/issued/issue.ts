import { ruleBroken } from '../../base/errors.ts'
import { commonFields, uuid } from '../../base/ids.ts'
import { without } from '../../base/fields.ts'
import { issueCertificate, newSerial, type CertificateOrder } from '../../crypto/x509/certificate.ts'
import { valuesOf } from '../../crypto/x509/names.ts'
import { readRequest } from '../../crypto/x509/request.ts'
import type { Context } from '../../http/context.ts'
import { findRecord, stageNew, assertNameFree } from '../../serving/managed/records.ts'
import type { Stored } from '../../store/entity.ts'
import { pointingAt } from '../../vault/keys/material.ts'
import { certified, localCaKind } from '../authorities/records.ts'
import { localCas, type StoredLocalCa } from '../authorities/store.ts'
import { withAuthorityKey } from '../authority-key.ts'
import { factsOf } from '../facts.ts'
import { publishedAt, uriOf } from '../identifiers.ts'
import { validityOf, type Validity } from '../validity.ts'
import type { IssueCertificate, IssuedCertificate } from './model.ts'
import { certificateKind } from './records.ts'
import type { StoredCertificate } from './store.ts'

const ISSUED_DAYS = 365

/**
 * Issues a certificate for a request. Names and key are those of the request; what else it asks for is not granted.
 * @throws Refusal NOT_FOUND; NAME_TAKEN; STATE_CONFLICT unless the authority and its key are active; RULE_BROKEN for a request
 * that cannot be granted, or a certificate that would outlive its authority
 */
export async function issue(
  context: Context,
  authorityId: string,
  body: IssueCertificate,
): Promise<Stored<IssuedCertificate>> {
  const { now } = context
  const kind = certificateKind(now)
  const authority = await findRecord(localCaKind(now), context, authorityId)
  const issuer = certified(authority.item, now)
  const id = uuid(now)
  const { name = `cert-${id}`, purpose, csr } = body
  await assertNameFree(kind, context, name)
  const { name: subject, altNames, publicKey } = await pointingAt('#/csr', () => readRequest(csr))
  assertNoClientId(subject)
  const validity = validityOf(body, now, ISSUED_DAYS, issuer)
  const certificate = await issued(context, authority, { id, name, subject, altNames, publicKey, purpose, validity })
  return stageNew(kind, context, certificate)
}

const CLIENT_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Ours: ids of clients stand in the attribute UID, where log-ins look for them, so that only registrations write them there.
 * @throws Refusal RULE_BROKEN
 */
export function assertNoClientId(subject: Buffer): void {
  if (valuesOf(subject, 'UID').some((value) => CLIENT_ID.test(value.trim())))
    throw ruleBroken('csr', 'must have no id of a client in its subject (UID)')
}

interface Wanted extends Pick<CertificateOrder, 'altNames' | 'publicKey' | 'purpose'> {
  readonly id: string
  readonly name: string
  /** DER of a Name */
  readonly subject: Buffer
  readonly validity: Validity
}

/**
 * Signs a certificate, once in a request, and relies on the authority: one that is deleted meanwhile issues nothing.
 * @returns the record of the certificate, which is for the caller to stage
 * @throws Refusal STATE_CONFLICT unless the authority and its key are active; RULE_BROKEN for names that cannot be granted
 */
export async function issued(
  { caller, changes, now, once }: Context,
  authority: Stored<StoredLocalCa>,
  { id, name, validity, purpose, ...order }: Wanted,
): Promise<StoredCertificate> {
  const domain = caller.domain.id
  const issuer = certified(authority.item, now)
  const cert = await once(`certificate ${issuer.id} ${validity.notAfter.toISOString()}`, () =>
    withAuthorityKey({ domain, keyId: issuer.key_id, now }, 'certificateSign', (key) =>
      issueCertificate({
        ...order,
        purpose,
        issuer: { pem: issuer.cert, key },
        serial: newSerial(),
        ...validity,
        ...publishedAt(issuer.id),
      }),
    ),
  )
  changes.rely(localCas, domain, authority)
  return {
    ...commonFields(domain, id, uriOf(domain, 'certificate', id), now),
    name,
    ca: issuer.uri,
    ca_id: issuer.id,
    purpose,
    ...without(factsOf(cert), 'sha1Fingerprint', 'sha512Fingerprint'),
  }
}
