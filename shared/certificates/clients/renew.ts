import { Refusal } from '../../base/errors.ts'
import { uuid } from '../../base/ids.ts'
import { defined, without } from '../../base/fields.ts'
import { DAY_MS, later } from '../../base/time.ts'
import type { Context } from '../../http/context.ts'
import { assertMayGive, groupNamesOf } from '../../identity/clients/group-names.ts'
import type { StoredClient } from '../../identity/clients/store.ts'
import { changeRecord } from '../../resource/records.ts'
import type { Stored } from '../../store/entity.ts'
import { localCas } from '../authorities/store.ts'
import { stageClientCertificate } from './client-certificates.ts'
import { clientKind } from './client-kind.ts'
import { CLIENT_DAYS } from './profiles/model.ts'
import { clientProfiles } from './profiles/store.ts'
import { certify } from './registration/certify.ts'
import { revokeSerial } from './revoke.ts'
import type { ClientCertificate } from './registration/client-certificate.ts'
import type { Brought, CertifiedClient } from './registration/model.ts'

/** Time for which the previous certificate can still log in. */
const OVERLAP_MS = DAY_MS

/** A new certificate for a client; from the authority of the present one, if that is a local one. */
async function newCertificate(context: Context, client: StoredClient, brought: Brought): Promise<ClientCertificate> {
  const domain = context.caller.domain.id
  const profile = client.profile_id === undefined ? undefined : await clientProfiles.get(domain, client.profile_id)
  const isLocal = (await localCas.get(domain, client.ca_id)) !== undefined
  return certify(context, brought, {
    clientId: client.id,
    clientName: client.name,
    certificateName: `client-${client.id}-${await context.once('renewal', () => Promise.resolve(uuid(context.now)))}`,
    caId: isLocal ? client.ca_id : profile?.item.ca_id,
    days: profile?.item.cert_duration ?? CLIENT_DAYS,
    dnField: client.authentication_mode === 'dn' ? (client.dn_field ?? 'UID') : undefined,
    names: profile?.item.csr_parameters ?? {},
  })
}

/** @throws Refusal RULE_BROKEN for the client's present certificate */
function assertNew({ fields }: ClientCertificate, { sha256_fingerprint }: StoredClient): void {
  if (fields.sha256_fingerprint === sha256_fingerprint)
    throw new Refusal('RULE_BROKEN', 'The client has this certificate already.', {
      errors: [{ pointer: '#/ext_cert', detail: 'must be another certificate than the present one' }],
    })
}

async function renewed(
  context: Context,
  id: string,
  brought: Brought,
  assertMay: (client: StoredClient) => Promise<void> | void,
): Promise<Stored<CertifiedClient>> {
  let key: string | undefined
  const { item, rev } = await changeRecord(clientKind, context, id, async (client) => {
    if (client.revoked_at !== undefined)
      throw new Refusal('STATE_CONFLICT', `The client ${client.name} is revoked: register it anew.`)
    await assertMay(client)
    const certificate = await newCertificate(context, client, brought)
    assertNew(certificate, client)
    key = certificate.key
    await stageClientCertificate(context, client.id, certificate, brought)
    if (client.former)
      await revokeSerial(context, { ...client.former, ca_id: client.former.ca_id ?? client.ca_id }, 'superseded')
    return {
      ...(certificate.fields.authentication_mode === 'dn' ? client : without(client, 'dn_field')),
      ...certificate.fields,
      former: {
        sha256_fingerprint: client.sha256_fingerprint,
        serial_number: client.serial_number,
        ...(client.ca_id !== certificate.fields.ca_id && { ca_id: client.ca_id }),
        until: later(context.now, OVERLAP_MS).toISOString(),
      },
    }
  })
  return { item: { ...item, ...defined({ key }) }, rev }
}

/**
 * Replaces the certificate of a client; the present one can log in for 24 more hours. Ours: an administrator of clients
 * receives a key that logs in as the client, so a client in system groups can only be renewed by members of `admin` or
 * by itself.
 * @returns the client, with the key if the service created it
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, STATE_CONFLICT for a revoked client, and those of `certify`
 */
export const renewClient = (context: Context, id: string, body: Brought): Promise<Stored<CertifiedClient>> =>
  renewed(context, id, body, async ({ group_ids }) => {
    const [names = []] = await groupNamesOf(context.caller.domain.id, [group_ids])
    assertMayGive(context.caller, names)
  })

/**
 * The same, for the calling client. Ours: a client whose certificate has expired cannot call this; an administrator
 * renews it.
 * @throws Refusal ACTION_DENIED for callers that are not clients, and those of `renewClient`
 */
export const renewSelf = async (context: Context, body: Brought): Promise<Stored<CertifiedClient>> => {
  const { client } = context.caller
  if (client !== undefined) return renewed(context, client.id, body, () => undefined)
  throw new Refusal('ACTION_DENIED', 'Only a registered client renews itself: log in with its certificate.')
}
