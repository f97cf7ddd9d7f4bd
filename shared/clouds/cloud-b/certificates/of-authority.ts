import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { notThere, Refusal } from '../../../base/errors.ts'
import { certificateKind as issuedKind, certificateStateAt } from '../../../certificates/issued/records.ts'
import { issuedCertificates, type StoredCertificate } from '../../../certificates/issued/store.ts'
import { localCas } from '../../../certificates/authorities/store.ts'
import { makePkcs12 } from '../../../crypto/material/pkcs12.ts'
import { readCertificate } from '../../../crypto/x509/certificate.ts'
import { certifiedKey } from '../../../crypto/x509/certified-key.ts'
import type { Context } from '../../../http/context.ts'
import { namedOrId } from '../../../resource/records.ts'
import { pointingAt } from '../../../vault/keys/material/material.ts'
import type { CloudBCertificateSpec } from '../adapter/types.ts'
import type { OfAuthority } from './model.ts'

const PASSWORD_BYTES = 24

/** @throws Refusal NOT_FOUND, STATE_CONFLICT unless the certificate is active */
async function issued(context: Context, { caid, source_cert_identifier: reference }: OfAuthority) {
  const authority = await namedOrId(localCas)(context, caid)
  if (authority === undefined)
    throw notThere('There is no such local CA.', { pointer: '#/caid', detail: 'is no local CA' })
  const stored = await namedOrId(issuedCertificates)(context, reference)
  if (stored?.item.ca_id !== authority.item.id) {
    const field = { pointer: '#/source_cert_identifier', detail: `is no certificate of ${authority.item.name}` }
    throw notThere('There is no such certificate.', field)
  }
  assertActive(stored.item, context.now)
  context.uses('ReadCertificate', stored.item)
  return { certificate: stored.item, authority: authority.item }
}

function assertActive(certificate: StoredCertificate, now: Date): void {
  const state = certificateStateAt(certificate, now)
  if (state !== 'active') throw new Refusal('STATE_CONFLICT', `The ${issuedKind.noun} ${certificate.name} is ${state}.`)
}

/**
 * A PFX with a new password. It contains a certificate of a local authority, the authority's certificate, and the
 * private key, which only the caller has.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT, RULE_BROKEN for the key of another certificate
 */
export async function pfxOfAuthority(
  context: Context,
  body: OfAuthority,
): Promise<Pick<CloudBCertificateSpec, 'pfx' | 'password'>> {
  const { certificate, authority } = await issued(context, body)
  const { publicKey } = readCertificate(certificate.cert)
  const key = createPrivateKey(
    await pointingAt('#/private_key_pem', () => certifiedKey(body.private_key_pem, publicKey)),
  )
  const chain = [certificate.cert, ...(authority.cert === undefined ? [] : [authority.cert])]
  const password = randomBytes(PASSWORD_BYTES).toString('base64url')
  const pfx = await makePkcs12(
    key,
    password,
    chain.map((pem) => new X509Certificate(pem).raw),
  )
  return { pfx: pfx.toString('base64'), password }
}
