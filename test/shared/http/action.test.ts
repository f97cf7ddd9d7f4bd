import { expect, test } from 'vitest'
import { ROUTES } from '../../../infra/routes.ts'
import { actionTable } from '../../../infra/openapi.ts'
import { actionOf } from '../../../shared/http/action.ts'
import { PERMISSIONS } from '../../../shared/http/permission.ts'
import { KEPT_BY_ADMINS } from '../../../shared/identity/policies/evaluate.ts'

test.each([
  ['Create Key', 'CreateKey'],
  ['Get Key', 'ReadKey'],
  ['List Keys', 'ReadKey'],
  ['Query Keys', 'ReadKey'],
  ['List Key Policies', 'ReadKeyPolicy'],
  ['List Local CAs', 'ReadLocalCA'],
  ['List Cloud-a KMS', 'ReadCloudAKMS'],
  ['Get Cloud-a Regions', 'ReadCloudARegions'],
  ['Self-Sign Local CA', 'SelfSignLocalCA'],
  ['Log Out', 'LogOut'],
])('%s is %s', (summary, action) => {
  expect(actionOf({ summary })).toBe(action)
})

const declarations = ROUTES.map(({ operation }) => operation.declaration).filter(({ may }) => PERMISSIONS[may].token)

test('an action needs one permission on all of its routes', () => {
  const permissions = new Map<string, string>()
  for (const declaration of declarations) {
    const action = actionOf(declaration)
    expect(action).toMatch(/^[A-Z][A-Za-z0-9]+$/)
    expect(permissions.get(action) ?? declaration.may, action).toBe(declaration.may)
    permissions.set(action, declaration.may)
  }
})

test('policies know the actions of all routes with a token, and the uses of keys', () => {
  const table = actionTable()
  for (const declaration of declarations) expect(table[actionOf(declaration)]).toBe(declaration.may)
  expect(table).toMatchObject({ CreateKey: 'key-users', ReadKey: 'key-users', EncryptWithKey: 'key-users' })
  expect(table).not.toHaveProperty('GenerateToken')
  expect(table).not.toHaveProperty('UseKey')
})

test('the actions that administrators keep are those of policies and attachments', () => {
  const own = ROUTES.filter(({ path }) => /^\/v1\/admin\/polic/.test(path))
  expect(new Set(own.map(({ operation }) => actionOf(operation.declaration)))).toEqual(new Set(KEPT_BY_ADMINS))
})
