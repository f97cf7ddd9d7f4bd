import type { Route } from '../../http/operation.ts'
import { lookUp, routesOf } from '../../resource/routes.ts'
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

const AT = '/v1/usermgmt/connections'
const on = routesOf({
  at: AT,
  one: `${AT}/{id}`,
  path: LoginConnectionPath,
  idsOf: ({ id }): readonly [string] => [id],
  answers: LoginConnection,
  reads: 'user-admins',
  changes: 'admins', // a changed directory can log in any of its users
})

/** Connections to outside directories and identity providers, through which users log in. */
export const routes: readonly Route[] = [
  on.list('List Log-in Connections', LoginConnectionQuery, listLoginConnections),
  on.create('Create Log-in Connection', CreateLoginConnection, createLoginConnection), // without a test
  on.get('Get Log-in Connection', getLoginConnection),
  on.update('Update Log-in Connection', UpdateLoginConnection, updateLoginConnection),
  on.remove('Delete Log-in Connection', deleteLoginConnection), // refused while it has users
  // The body overrides the saved fields for this test.
  on.tell('POST', 'test', 'Test Log-in Connection', LoginConnectionTest, testSavedLogin, {
    body: UpdateLoginConnection,
  }),
  lookUp(
    '/v1/usermgmt/connection-test',
    'Test Unsaved Log-in Connection',
    'admins',
    UnsavedLoginConnection,
    LoginConnectionTest,
    testUnsavedLogin,
  ),
]
