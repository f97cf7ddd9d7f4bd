import { Deleted, listOf } from '../../http/common-fields.ts'
import { createdStored, deleted, ok, okStored, operation } from '../../http/operation.ts'
import {
  createLoginConnection,
  deleteLoginConnection,
  getLoginConnection,
  listLoginConnections,
  updateLoginConnection,
} from './connections.ts'
import {
  CreateLoginConnection,
  LoginConnection,
  LoginConnectionPath,
  LoginConnectionQuery,
  LoginConnectionTest,
  UnsavedLoginConnection,
  UpdateLoginConnection,
} from './model.ts'
import { testSavedLogin, testUnsavedLogin } from './test-connection.ts'

/** GET /v1/usermgmt/connections: ways to log in that are outside of this service. */
export const list = operation(
  {
    summary: 'List Log-in Connections',
    query: LoginConnectionQuery,
    answers: listOf(LoginConnection),
    may: 'user-admins',
  },
  async ({ query, context }) => ok(await listLoginConnections(context, query)),
)

/** POST /v1/usermgmt/connections: does not test what it creates. Who changes a directory can be any of its users. */
export const create = operation(
  {
    summary: 'Create Log-in Connection',
    body: CreateLoginConnection,
    answers: LoginConnection,
    status: 201,
    may: 'admins',
  },
  async ({ body, context }) => createdStored(await createLoginConnection(context, body)),
)

/** GET /v1/usermgmt/connections/{id} */
export const get = operation(
  { summary: 'Get Log-in Connection', path: LoginConnectionPath, answers: LoginConnection, may: 'user-admins' },
  async ({ path, context }) => okStored(await getLoginConnection(context, path.id)),
)

/** PATCH /v1/usermgmt/connections/{id}: a secret left out keeps its value, unless it would be sent elsewhere. */
export const update = operation(
  {
    summary: 'Update Log-in Connection',
    path: LoginConnectionPath,
    body: UpdateLoginConnection,
    answers: LoginConnection,
    may: 'admins',
  },
  async ({ path, body, context }) => okStored(await updateLoginConnection(context, path.id, body)),
)

/** DELETE /v1/usermgmt/connections/{id}: refused while it has users. */
export const remove = operation(
  { summary: 'Delete Log-in Connection', path: LoginConnectionPath, answers: Deleted, may: 'admins' },
  async ({ path, context }) => {
    await deleteLoginConnection(context, path.id)
    return deleted()
  },
)

/** POST /v1/usermgmt/connections/{id}/test: the body overrides the saved fields for this test. */
export const test = operation(
  {
    summary: 'Test Log-in Connection',
    path: LoginConnectionPath,
    body: UpdateLoginConnection,
    answers: LoginConnectionTest,
    may: 'user-admins',
  },
  async ({ path, body, context }) => ok(await testSavedLogin(context, path.id, body)),
)

/** POST /v1/usermgmt/connection-test: nothing is stored. */
export const testUnsaved = operation(
  {
    summary: 'Test Unsaved Log-in Connection',
    body: UnsavedLoginConnection,
    answers: LoginConnectionTest,
    may: 'admins',
    reads: true,
  },
  async ({ body, context }) => ok(await testUnsavedLogin(context, body)),
)
