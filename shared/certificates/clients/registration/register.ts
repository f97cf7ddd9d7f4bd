import { nameTaken, ruleBroken } from '../../../base/errors.ts'
import { commonFields, ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME, uuid } from '../../../base/ids.ts'
import { defined } from '../../../base/fields.ts'
import { reached } from '../../../base/time.ts'
import type { Context } from '../../../http/context.ts'
import { groupNamesOf } from '../../../identity/clients/group-names.ts'
import { clients, type StoredClient } from '../../../identity/clients/store.ts'
import { isSystemGroup } from '../../../identity/groups/model.ts'
import { countClients } from '../../../identity/groups/member-count.ts'
import { groups } from '../../../identity/groups/store.ts'
import { stageNew } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { stageClientCertificate } from '../client-certificates.ts'
import { clientKind } from '../client-kind.ts'
import { uriOf } from '../place.ts'
import { CLIENT_DAYS } from '../profiles/model.ts'
import { clientProfiles, type StoredClientProfile } from '../profiles/store.ts'
import { endOf } from '../registration-tokens/lifetime.ts'
import { tokenHash } from '../registration-tokens/secret.ts'
import { registrationTokens, type StoredRegistrationToken } from '../registration-tokens/store.ts'
import { countUse, readUses, tokenRefused, type TokenUses } from '../registration-tokens/uses.ts'
import { certify } from './certify.ts'
import type { CertifiedClient, RegisterClient } from './model.ts'
import { freeNumber } from './numbered-name.ts'

interface Admitted {
  readonly token: StoredRegistrationToken
  readonly used: TokenUses
}

/** Ours: an unknown token costs the same reads as a known one. */
const NO_TOKEN = 'none'

/** The registration token in a body. @throws Refusal TOKEN_INVALID, without a reason */
async function admitted(secret: string, now: Date): Promise<Admitted> {
  const id = (await registrationTokens.holder(ROOT_DOMAIN_ID, 'token', tokenHash(secret))) ?? NO_TOKEN
  const [stored, [used]] = await Promise.all([
    registrationTokens.get(ROOT_DOMAIN_ID, id),
    readUses(ROOT_DOMAIN_ID, [id]),
  ])
  if (stored === undefined || used === undefined) throw tokenRefused()
  const { item: token } = stored
  const isUsedUp = token.max_clients !== undefined && used.uses >= token.max_clients
  if (isUsedUp || reached(endOf(token), now)) throw tokenRefused()
  return { token, used }
}

/** The profile of a registration, which must not change before the commit. */
async function profileOf(
  { changes }: Context,
  { client_management_profile_id: id, by_admin }: StoredRegistrationToken,
): Promise<StoredClientProfile | undefined> {
  const stored = id === undefined ? undefined : await clientProfiles.get(ROOT_DOMAIN_ID, id)
  if (stored === undefined) return undefined
  // A token that others than members of admin created ends when its profile gets a system group.
  const [names = []] = by_admin === true ? [] : await groupNamesOf(ROOT_DOMAIN_ID, [stored.item.group_ids])
  if (names.some(isSystemGroup)) throw tokenRefused()
  changes.rely(clientProfiles, ROOT_DOMAIN_ID, stored)
  return stored.item
}

interface Named {
  readonly name: string
  /** the number in it, and the previous one */
  readonly number?: { readonly from: number; readonly to: number }
}

/** @throws Refusal NAME_TAKEN; RULE_BROKEN for a given name if the token numbers its clients */
async function nameFor({ token, used }: Admitted, wanted: string | undefined, id: string): Promise<Named> {
  const { name_prefix: prefix } = token
  if (prefix === undefined) {
    const { name = `client-${id}` } = { name: wanted }
    if ((await clients.holder(ROOT_DOMAIN_ID, 'name', name)) !== undefined) throw nameTaken('client', name)
    return { name }
  }
  if (wanted !== undefined) throw ruleBroken('name', 'must not be given: the registration token numbers its clients')
  const to = await freeNumber(prefix, used.lastNumber + 1)
  return { name: `${prefix}${to}`, number: { from: used.lastNumber, to } }
}

/** Stages the groups of a new client. @returns their ids */
async function joinGroups({ changes }: Context, profile: StoredClientProfile | undefined): Promise<string[]> {
  const found = await groups.getMany(ROOT_DOMAIN_ID, profile?.group_ids ?? [])
  for (const group of found) {
    changes.rely(groups, ROOT_DOMAIN_ID, group)
    countClients(changes, ROOT_DOMAIN_ID, group.item.id, 1)
  }
  return found.map(({ item }) => item.id)
}

/**
 * Registers a client with a registration token of the root domain instead of a log-in.
 * @returns the client, with the key if the service created it
 * @throws Refusal TOKEN_INVALID, NAME_TAKEN for the name or the certificate, RULE_BROKEN, STATE_CONFLICT,
 * TOO_MANY_REQUESTS
 */
export async function registerClient(context: Context, body: RegisterClient): Promise<Stored<CertifiedClient>> {
  const { changes, now, once, setActor } = context
  const use = await admitted(body.registration_token, now)
  const { token } = use
  const id = await once('client id', () => Promise.resolve(uuid(now)))
  const profile = await profileOf(context, token)
  const { name, number } = await nameFor(use, body.name, id)
  const certificate = await certify(context, body, {
    clientId: id,
    clientName: name,
    certificateName: `client-${id}`,
    caId: token.ca_id ?? profile?.ca_id,
    days: token.cert_duration ?? profile?.cert_duration ?? CLIENT_DAYS,
    dnField: body.do_not_modify_subject_dn ? undefined : body.subject_dn_field_to_modify,
    names: profile?.csr_parameters ?? {},
  })
  const { fields, key } = certificate
  await stageClientCertificate(context, id, certificate, body)
  const optional: Pick<StoredClient, 'client_type' | 'client_metadata' | 'profile_id' | 'dn_field'> = defined({
    client_type: body.client_type,
    client_metadata: body.client_metadata,
    profile_id: profile?.id,
    dn_field: fields.authentication_mode === 'dn' ? body.subject_dn_field_to_modify : undefined,
  })
  const client: StoredClient = {
    ...commonFields(ROOT_DOMAIN_ID, id, uriOf('client', id), now),
    ...{ name, ...optional, ...fields },
    regtoken_id: token.id,
    group_ids: await joinGroups(context, profile),
  }
  countUse(changes, ROOT_DOMAIN_ID, token.id, { most: token.max_clients, number })
  const { item, rev } = await stageNew(clientKind, context, client)
  setActor({
    sub: id,
    username: name,
    domain: { id: ROOT_DOMAIN_ID, name: ROOT_DOMAIN_NAME },
    client: { id, name },
  })
  return { item: { ...item, ...defined({ key }) }, rev }
}
