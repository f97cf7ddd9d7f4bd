import * as z from 'zod'
import { Name, Uuid } from '../../http/common-fields.ts'
import { createdStored, ok, okStored, operation, route, type Route } from '../../http/operation.ts'
import { routesOf, routesOn } from '../../resource/routes.ts'
import { addClient, removeClient } from '../../identity/clients/memberships.ts'
import { RegisteredClient } from '../../identity/clients/model.ts'
import { Group } from '../../identity/groups/model.ts'
import { deleteClient, getClient, listClients } from './clients.ts'
import { ClientQuery, RevokeClient, ServerFingerprint } from './model.ts'
import { CLIENT_MANAGEMENT, inRootDomain } from './place.ts'
import { ClientProfile, ClientProfileQuery, CreateClientProfile, UpdateClientProfile } from './profiles/model.ts'
import { createProfile, deleteProfile, getProfile, listProfiles, updateProfile } from './profiles/profiles.ts'
import {
  CreateRegistrationToken,
  RegistrationToken,
  RegistrationTokenQuery,
  UpdateRegistrationToken,
} from './registration-tokens/model.ts'
import { CertifiedClient, RegisterClient, RenewClient } from './registration/model.ts'
import { registerClient } from './registration/register.ts'
import { createToken, deleteToken, getToken, listTokens, updateToken } from './registration-tokens/tokens.ts'
import { renewClient, renewSelf } from './renew.ts'
import { revokeClient } from './revoke.ts'
import { serverFingerprint } from './server-fingerprint.ts'

const may = 'client-admins'
const at = CLIENT_MANAGEMENT
const onProfiles = routesOn({ at: `${at}/profiles`, answers: ClientProfile, reads: may, changes: may })
const onTokens = routesOn({ at: `${at}/regtokens`, answers: RegistrationToken, reads: may, changes: may })

/** Settings that registered clients share. */
const profiles: readonly Route[] = [
  onProfiles.list('List Client Profiles', ClientProfileQuery, inRootDomain(listProfiles)),
  onProfiles.create('Create Client Profile', CreateClientProfile, inRootDomain(createProfile)),
  onProfiles.get('Get Client Profile', inRootDomain(getProfile)),
  onProfiles.update('Update Client Profile', UpdateClientProfile, inRootDomain(updateProfile)),
  onProfiles.remove('Delete Client Profile', inRootDomain(deleteProfile)),
]

/** Tokens that authorise registrations. */
const tokens: readonly Route[] = [
  onTokens.list('List Registration Tokens', RegistrationTokenQuery, inRootDomain(listTokens)),
  onTokens.create('Create Registration Token', CreateRegistrationToken, inRootDomain(createToken)),
  onTokens.get('Get Registration Token', inRootDomain(getToken)),
  onTokens.update('Update Registration Token', UpdateRegistrationToken, inRootDomain(updateToken)),
  onTokens.remove('Delete Registration Token', inRootDomain(deleteToken)), // its clients stay
]

/** POST /v1/client-management/clients: a registration token takes the place of a log-in. */
const register = operation(
  {
    summary: 'Register Client',
    body: RegisterClient,
    answers: CertifiedClient,
    status: 201,
    may: 'anyone',
    once: true,
  },
  async ({ body, context }) => createdStored(await registerClient(context, body)),
)

/** POST /v1/client-management/clients/{id}/renew: the present certificate logs in for another day. */
const renew = operation(
  {
    summary: 'Renew Client',
    path: z.strictObject({ id: Uuid }),
    body: RenewClient,
    answers: CertifiedClient,
    may,
    once: true,
  },
  async ({ path, body, context }) => okStored(await inRootDomain(renewClient)(context, path.id, body)),
)

/** POST /v1/client-management/self/client/renew: the same, by the client. */
const renewOwn = operation(
  { summary: 'Renew Own Certificate', body: RenewClient, answers: CertifiedClient, may: 'signed-in', once: true },
  async ({ body, context }) => okStored(await renewSelf(context, body)),
)

/** PATCH /v1/client-management/clients/{id}/revoke: for good, with its certificates. */
const revoke = operation(
  {
    summary: 'Revoke Client',
    path: z.strictObject({ id: Uuid }),
    body: RevokeClient,
    answers: RegisteredClient,
    may,
  },
  async ({ path, body, context }) => okStored(await inRootDomain(revokeClient)(context, path.id, body)),
)

/** GET /v1/client-management/webcert-fingerprint: handed to a client with its registration token, so that it knows the service. */
const fingerprint = operation(
  { summary: 'Get Server Fingerprint', answers: ServerFingerprint, may },
  async ({ context }) => ok(await inRootDomain(serverFingerprint)(context)),
)

const onClients = routesOn({ at: `${at}/clients`, answers: RegisteredClient, reads: may, changes: may })

const clients: readonly Route[] = [
  onClients.list('List Clients', ClientQuery, inRootDomain(listClients)),
  route('POST', `${at}/clients`, register),
  onClients.get('Get Client', inRootDomain(getClient)),
  route('POST', `${at}/clients/{id}/renew`, renew),
  route('PATCH', `${at}/clients/{id}/revoke`, revoke),
  onClients.remove('Delete Client', inRootDomain(deleteClient)),
  route('POST', `${at}/self/client/renew`, renewOwn),
  route('GET', `${at}/webcert-fingerprint`, fingerprint),
]

const MEMBER = `${at}/groups/{name}/clients/{client_id}`
const onMembers = routesOf({
  at: MEMBER,
  one: MEMBER,
  path: z.strictObject({ name: Name, client_id: Uuid }),
  idsOf: ({ name, client_id }): readonly [string, string] => [name, client_id],
  answers: Group,
  reads: may,
  changes: may,
})

const members: readonly Route[] = [
  onMembers.act('', 'Add Client To Group', inRootDomain(addClient)),
  onMembers.remove('Remove Client From Group', inRootDomain(removeClient)),
]

export const routes: readonly Route[] = [...profiles, ...tokens, ...clients, ...members]
