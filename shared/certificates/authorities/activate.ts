import { ruleBroken } from '../../base/errors.ts'
import { issueCertificate, newSerial, readCertificate } from '../../crypto/x509/certificate.ts'
import { powersOf } from '../../crypto/x509/issuer.ts'
import { readRequest } from '../../crypto/x509/request.ts'
import type { Context } from '../../http/context.ts'
import { changeRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { pointingAt } from '../../vault/keys/material/material.ts'
import { withAuthorityKey } from '../authority-key.ts'
import { relyOnParent } from '../external/parent.ts'
import { factsOf, isOver } from '../facts.ts'
import { stageTrust } from '../trust-store/trusted.ts'
import { validityOf } from '../validity.ts'
import type { InstallCertificate, LocalCa, SelfSign } from './model.ts'
import { assertPending, localCaKind } from './records.ts'

const SELF_SIGNED_DAYS = 3_650
const NOT_SIGNED = ['cert', 'must be signed by the external CA that parent_id names'] as const

/**
 * Makes an authority self-signed.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT unless it is pending and its key is active, RULE_BROKEN
 */
export const selfSign = (context: Context, id: string, body: SelfSign): Promise<Stored<LocalCa>> => {
  const { caller, now } = context
  return changeRecord(localCaKind, context, id, async (authority) => {
    assertPending(authority, now)
    const validity = validityOf(body, now, SELF_SIGNED_DAYS)
    const { name: subject, altNames, publicKey } = await readRequest(authority.csr)
    const at = { domain: caller.domain.id, keyId: authority.key_id, now }
    const cert = await withAuthorityKey(at, 'certificateSign', (key) =>
      issueCertificate({
        issuer: { key },
        subject,
        altNames,
        publicKey,
        purpose: 'ca',
        serial: newSerial(),
        ...validity,
      }),
    )
    const active = { ...authority, ...factsOf(cert) }
    await stageTrust(context.changes, caller.domain.id, active)
    return active
  })
}

/** @throws Refusal RULE_BROKEN for a certificate that does not match this authority and its request */
async function assertFits(cert: string, csr: string, now: Date): Promise<void> {
  const { isAuthority, spki, notAfter } = await pointingAt('#/cert', () => readCertificate(cert))
  if (!spki.equals((await readRequest(csr)).spki))
    throw ruleBroken('cert', "must be for the key of the authority's request")
  if (!isAuthority) throw ruleBroken('cert', 'must be the certificate of an authority')
  const { certificates, lists } = await pointingAt('#/cert', () => powersOf(cert))
  if (!certificates || !lists) throw ruleBroken('cert', 'must have the key usages keyCertSign and cRLSign')
  if (isOver({ notAfter }, now)) throw ruleBroken('cert', 'must not be over')
}

/**
 * Installs the certificate of an authority that another authority signed.
 * @throws Refusal NOT_FOUND, also for the parent; VERSION_STALE; STATE_CONFLICT unless it is pending; RULE_BROKEN for a
 * certificate with another key, not for an authority, or not signed by the parent
 */
export const installCertificate = (
  context: Context,
  id: string,
  { cert, parent_id: parentId }: InstallCertificate,
): Promise<Stored<LocalCa>> => {
  const { now } = context
  return changeRecord(localCaKind, context, id, async (authority) => {
    assertPending(authority, now)
    await assertFits(cert, authority.csr, now)
    await relyOnParent(context, { cert, parentId }, 'parent_id', NOT_SIGNED)
    const active = { ...authority, ...factsOf(cert), parent_id: parentId }
    await stageTrust(context.changes, context.caller.domain.id, active)
    return active
  })
}
