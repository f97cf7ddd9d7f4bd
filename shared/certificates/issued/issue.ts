import { commonFields, uuid } from '../../base/ids.ts'
import { without } from '../../base/fields.ts'
import { issueCertificate, newSerial } from '../../crypto/x509/certificate.ts'
import { readRequest } from '../../crypto/x509/request.ts'
import type { Context } from '../../http/context.ts'
import { findRecord, stageNew, assertNameFree } from '../../serving/managed/records.ts'
import type { Stored } from '../../store/entity.ts'
import { pointingAt } from '../../vault/keys/material.ts'
import { certified, localCaKind } from '../authorities/records.ts'
import { localCas } from '../authorities/store.ts'
import { withAuthorityKey } from '../authority-key.ts'
import { factsOf } from '../facts.ts'
import { publishedAt, uriOf } from '../identifiers.ts'
import { validityOf } from '../validity.ts'
import type { IssueCertificate, IssuedCertificate } from './model.ts'
import { certificateKind } from './records.ts'

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
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const kind = certificateKind(now)
  const authority = await findRecord(localCaKind(now), context, authorityId)
  const issuer = certified(authority.item, now)
  const id = uuid(now)
  const { name = `cert-${id}`, purpose, csr } = body
  await assertNameFree(kind, context, name)
  const { name: subject, altNames, publicKey } = await pointingAt('#/csr', () => readRequest(csr))
  const validity = validityOf(body, now, ISSUED_DAYS, issuer)
  const cert = await withAuthorityKey({ domain, keyId: issuer.key_id, now }, 'certificateSign', (key) =>
    issueCertificate({
      issuer: { pem: issuer.cert, key },
      subject,
      altNames,
      publicKey,
      purpose,
      serial: newSerial(),
      ...validity,
      ...publishedAt(authorityId),
    }),
  )
  changes.rely(localCas, domain, authority) // one that is deleted meanwhile issues nothing
  return stageNew(kind, context, {
    ...commonFields(domain, id, uriOf(domain, 'certificate', id), now),
    name,
    ca: issuer.uri,
    ca_id: authorityId,
    purpose,
    ...without(factsOf(cert), 'sha1Fingerprint', 'sha512Fingerprint'),
  })
}
