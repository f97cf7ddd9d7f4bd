import type { Route } from '../../http/operation.ts'
import { lookUp } from '../../resource/routes.ts'
import { loginConnectionResource } from './connections.ts'
import { LoginConnectionTest, UnsavedLoginConnection, UpdateLoginConnection } from './model.ts'
import { testSavedLogin, testUnsavedLogin } from './test-connection.ts'

/** Connections, and their tests. */
export const routes: readonly Route[] = [
  ...loginConnectionResource.routes,
  // The body overrides the saved fields for this test.
  loginConnectionResource.on.tell('POST', 'test', 'Test Log-in Connection', LoginConnectionTest, testSavedLogin, {
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
