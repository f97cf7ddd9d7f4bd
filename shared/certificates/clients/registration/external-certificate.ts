import { X509Certificate } from 'node:crypto'
import { ruleBroken } from '../../../base/errors.ts'
import { isSignedBy, readCertificate } from '../../../crypto/x509/certificate.ts'
import { requireCertifiable } from '../../../crypto/x509/signed.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { walk } from '../../../store/list.ts'
import { pointingAt } from '../../../vault/keys/material/material.ts'
import { externalCas, type StoredExternalCa } from '../../external/store.ts'
import { factsOf, isOver } from '../../facts.ts'
import { assertLetsClientsIn } from './authority.ts'
import { fieldsOf, type ClientCertificate } from './client-certificate.ts'

/** Ours: maximum number of authorities with the same name that are tried. */
const NAMESAKES_MOST = 20
/** @see RFC 5280 §4.2.1.12 */
const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2'

const broken = (rule: string) => ruleBroken('ext_cert', rule)

/** The external authority that signed a certificate. @throws Refusal RULE_BROKEN for an unknown or expired one */
async function signerOf(
  { caller, now }: Pick<Context, 'caller' | 'now'>,
  pem: string,
  issuer: string,
): Promise<Stored<StoredExternalCa>> {
  const { items } = await walk(externalCas, caller.domain.id, {
    sets: ['all'],
    matches: ({ subject }) => subject === issuer,
    ...{ skip: 0, limit: NAMESAKES_MOST, narrowBy: 'deleting external CAs' },
  })
  const signers = items.filter(({ item }) => isSignedBy(pem, item.cert))
  const active = signers.find(({ item }) => !isOver(item, now))
  if (active !== undefined) return active
  throw broken(
    signers.length === 0
      ? 'must be signed by an external CA of this service (POST /v1/ca/external-cas)'
      : 'must be signed by an external CA whose own certificate is not over',
  )
}

/**
 * Accepts a certificate of an external authority unchanged. Ours: log-ins identify it by its fingerprint, since client
 * ids are created here.
 * @throws Refusal RULE_BROKEN, STATE_CONFLICT for an authority whose certificates do not authenticate clients
 */
export async function externalCertificate(context: Context, pem: string): Promise<ClientCertificate> {
  const { caller, changes, now } = context
  const { isAuthority, publicKey, issuer, notBefore, notAfter } = await pointingAt('#/ext_cert', () =>
    readCertificate(pem),
  )
  await pointingAt('#/ext_cert', () => requireCertifiable(publicKey))
  if (isAuthority) throw broken('must not be the certificate of an authority')
  if (isOver({ notAfter }, now) || Date.parse(notBefore) > now.getTime()) throw broken('must be valid now')
  // Node's type ignores that this is undefined for a certificate without the extension
  const uses = new X509Certificate(pem).keyUsage as readonly string[] | undefined
  if (uses?.includes(CLIENT_AUTHENTICATION) === false) throw broken('must be for client authentication')
  const authority = await signerOf(context, pem, issuer)
  assertLetsClientsIn('external', authority.item)
  changes.rely(externalCas, caller.domain.id, authority)
  return { fields: fieldsOf(factsOf(pem), authority.item.id, 'fingerprint') }
}
