import { PERMISSIONS } from '../shared/http/permission.ts'
import { ROUTES } from './routes.ts'

/** `npm run routes`: one row per route with method, path, function and permission. */
for (const { method, path, group, operation } of ROUTES) {
  const { token, groups } = PERMISSIONS[operation.declaration.may]
  const who = token ? (groups.length === 0 ? 'any valid token' : groups.join(', ')) : 'anyone'
  console.log(`${method.padEnd(6)} ${path.padEnd(56)} ${group.padEnd(11)} ${who}`)
}
