import { expect, test } from 'vitest'
import { createRouter } from '../../../../infra/local/gateway/routing.ts'

const row = { memoryMiB: 128, timeoutSeconds: 3, grants: [] } as const
const route = createRouter([
  { ...row, name: 'managed', prefixes: ['/api/things'] },
  {
    ...row,
    name: 'called',
    prefixes: ['/api/things/session'],
    calls: ['POST /api/things/list/{key}', 'ANY /api/things/{id}/use'],
  },
  { ...row, name: 'rest', prefixes: ['$default'] },
])

test.each([
  ['POST', '/api/things/list/a:verb', 'called', 'POST /api/things/list/{key}', { key: 'a:verb' }],
  ['GET', '/api/things/list/a:verb', 'managed', 'ANY /api/things/{proxy+}', { proxy: 'list/a:verb' }],
  ['POST', '/api/things/list/a/b', 'managed', 'ANY /api/things/{proxy+}', { proxy: 'list/a/b' }],
  ['POST', '/api/things/list/', 'managed', 'ANY /api/things/{proxy+}', { proxy: 'list/' }],
  ['POST', '/api/things/list', 'managed', 'ANY /api/things/{proxy+}', { proxy: 'list' }],
  ['POST', '/api/things/session/begin', 'called', 'ANY /api/things/session/{proxy+}', { proxy: 'begin' }],
  ['OPTIONS', '/api/things/7/use', 'called', 'ANY /api/things/{id}/use', { id: '7' }],
  ['POST', '/api/things//use', 'managed', 'ANY /api/things/{proxy+}', { proxy: '/use' }],
  ['POST', '/api/things/7/8/use', 'managed', 'ANY /api/things/{proxy+}', { proxy: '7/8/use' }],
  ['POST', '/api/things', 'managed', 'ANY /api/things', undefined],
  ['POST', '/api/thingsx', 'rest', '$default', undefined],
])('%s %s reaches %s', (method, path, functionName, key, pathParameters) => {
  expect(route(method, path)).toEqual({ functionName, key, ...(pathParameters && { pathParameters }) })
})
