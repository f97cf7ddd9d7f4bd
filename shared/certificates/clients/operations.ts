import * as z from 'zod'
import { Name, Uuid } from '../../http/common-fields.ts'
import { createdStored, ok, okStored, operation, route, type Route } from '../../http/operation.ts'
import { routesOf } from '../../resource/routes.ts'
import { addClient, removeClient } from '../../identity/clients/memberships.ts'
import { RegisteredClient } from '../../identity/clients/model.ts'
import { Group } from '../../identity/groups/model.ts'
import { registeredClients } from './clients.ts'
import { RevokeClient, ServerFingerprint } from './model.ts'
import { CLIENT_MANAGEMENT, inRootDomain } from './place.ts'
import { profiles } from './profiles/profiles.ts'
import { CreateRegistrationToken } from './registration-tokens/model.ts'
import { CertifiedClient, RegisterClient, RenewClient } from './registration/model.ts'
import { registerClient } from './registration/register.ts'
import { createToken, tokens } from './registration-tokens/tokens.ts'
import { renewClient, renewSelf } from './renew.ts'
import { revokeClient } from './revoke.ts'
import { serverFingerprint } from './server-fingerprint.ts'

const may = 'client-admins'
const at = CLIENT_MANAGEMENT
/** POST /v1/client-management/clients: a registration token replaces a log-in. */
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

/** POST /v1/client-management/clients/{id}/renew: the present certificate remains valid for log-ins for another day. */
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

/** POST /v1/client-management/self/client/renew: the same, called by the client. */
const renewOwn = operation(
  { summary: 'Renew Own Certificate', body: RenewClient, answers: CertifiedClient, may: 'signed-in', once: true },
  async ({ body, context }) => okStored(await renewSelf(context, body)),
)

/** PATCH /v1/client-management/clients/{id}/revoke: permanent, includes the client's certificates. */
const revoke = operation(
  {
    summary: 'Revoke Client',
    danger: { level: 3, lost: 'The client and its certificates are refused forever.' },
    path: z.strictObject({ id: Uuid }),
    body: RevokeClient,
    answers: RegisteredClient,
    may,
  },
  async ({ path, body, context }) => okStored(await inRootDomain(revokeClient)(context, path.id, body)),
)

/**
 * GET /v1/client-management/webcert-fingerprint: given to a client with its registration token, so that it can
 * recognise the service.
 */
const fingerprint = operation(
  { summary: 'Get Server Fingerprint', answers: ServerFingerprint, may },
  async ({ context }) => ok(await inRootDomain(serverFingerprint)(context)),
)

const clients: readonly Route[] = [
  ...registeredClients.routes,
  route('POST', `${at}/clients`, register),
  route('POST', `${at}/clients/{id}/renew`, renew),
  route('PATCH', `${at}/clients/{id}/revoke`, revoke),
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

export const routes: readonly Route[] = [
  ...profiles.routes,
  ...tokens.routes,
  tokens.on.create('Create Registration Token', CreateRegistrationToken, createToken),
  ...clients,
  ...members,
]
