import { createPublicKey } from 'node:crypto'
import { ruleBroken } from '../../../base/errors.ts'
import { algorithmNamed } from '../../../crypto/algorithms.ts'
import { exportMaterial } from '../../../crypto/material/export-material.ts'
import { asKeyObject, generateMaterial } from '../../../crypto/key-material.ts'
import { NO_ALT_NAMES } from '../../../crypto/x509/alt-names.ts'
import { encodeName, withAttribute } from '../../../crypto/x509/names.ts'
import { readRequest, type CertificateRequest } from '../../../crypto/x509/request.ts'
import type { Context } from '../../../http/context.ts'
import { stageNew } from '../../../resource/records.ts'
import { pointingAt } from '../../../vault/keys/material/material.ts'
import { certified } from '../../authorities/records.ts'
import { assertNoClientId, issued } from '../../issued/issue.ts'
import { certificateKind } from '../../issued/records.ts'
import { validityOf } from '../../validity.ts'
import { clientAuthority } from './authority.ts'
import { fieldsOf, type CertificateOrder, type ClientCertificate } from './client-certificate.ts'

type Requested = Pick<CertificateRequest, 'name' | 'altNames' | 'publicKey'> & { readonly key?: string }

/** Maximum characters of a common name. @see RFC 5280 §A.1 */
const CN_MOST = 64

/** A new key pair, with the names of a profile. Ours: the id replaces a name that is too long for a certificate. */
async function madeHere({ clientId, clientName, names }: CertificateOrder): Promise<Requested> {
  const { csr_cn: cn = Array.from(clientName).length > CN_MOST ? clientId : clientName, csr_email: email } = names
  const parts = {
    C: names.csr_country,
    ST: names.csr_state,
    L: names.csr_city,
    O: names.csr_org_name,
    OU: names.csr_org_unit,
  }
  const name = encodeName({ cn, names: [parts] })
  const material = await generateMaterial(algorithmNamed('ec'), { curve: 'prime256v1' })
  try {
    return {
      name,
      altNames: { ...NO_ALT_NAMES, email: email === undefined ? [] : [email] },
      publicKey: createPublicKey(asKeyObject(material)),
      key: await exportMaterial(material, { format: 'pkcs8' }),
    }
  } finally {
    material.bytes.destroy()
  }
}

/**
 * The subject of a client. Ours: UID always receives the id, since log-ins read it there; a subject that is kept
 * unchanged must not contain an attribute that could be taken for it.
 */
function subjectOf(name: Buffer, { clientId, dnField }: CertificateOrder): Buffer {
  if (dnField !== undefined) return withAttribute(withAttribute(name, dnField, clientId), 'UID', clientId)
  assertNoClientId(name)
  return name
}

/** @throws Refusal as `certify` */
export async function localCertificate(
  context: Context,
  csr: string | undefined,
  order: CertificateOrder,
): Promise<ClientCertificate> {
  const { now, once } = context
  const pointer = csr === undefined ? '#/name' : '#/csr'
  const { name, altNames, publicKey, key } = await pointingAt<Requested>(pointer, () =>
    csr === undefined ? once('client key', () => madeHere(order)) : readRequest(csr),
  )
  // Ours: such a name lets its holder log in to Windows, so only CA Admins can issue it, not a registration
  if (altNames.upn.length > 0) throw ruleBroken('csr', 'must have no user principal name', pointer)
  const authority = await clientAuthority(context, order.caId)
  const issuer = certified(authority.item, now)
  const validity = validityOf({}, now, order.days, issuer)
  const subject = await pointingAt(pointer, () => subjectOf(name, order))
  const wanted = { name: subject, altNames, publicKey, purpose: 'client', validity } as const
  const record = await pointingAt(pointer, () =>
    issued(context, issuer, { ...wanted, recordName: order.certificateName }),
  )
  await stageNew(certificateKind, context, record)
  const mode = order.dnField === undefined ? 'fingerprint' : 'dn'
  return { fields: fieldsOf(record, authority.item.id, mode), key }
}
