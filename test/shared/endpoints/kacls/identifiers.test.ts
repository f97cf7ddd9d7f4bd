import { expect, test } from 'vitest'
import { signingPurpose, uriOfEndpoint, urlOf } from '../../../../shared/endpoints/kacls/identifiers.ts'

const id = '01993f6e-1f00-7000-8000-000000000001'
const PATH = `/api/v1/keymgr/WorkspaceCSE/endpoints/${id}`

test.each([
  ['a host name', { endpoint_url_hostname: 'cse.example.com' }, `https://cse.example.com${PATH}`],
  ['a host name in upper case', { endpoint_url_hostname: 'CSE.Example.com' }, `https://cse.example.com${PATH}`],
  ['the usual port', { endpoint_url_hostname: 'cse.example.com:443' }, `https://cse.example.com${PATH}`],
  ['another port', { endpoint_url_hostname: 'cse.example.com:8443' }, `https://cse.example.com:8443${PATH}`],
  [
    'an address of its own',
    { endpoint_url_hostname: 'cse.example.com', own_url: 'https://keys.example.com/cse' },
    'https://keys.example.com/cse',
  ],
])('the address of an endpoint with %s', (_what, endpoint, url) => {
  expect(urlOf({ id, ...endpoint })).toBe(url)
})

test('an endpoint and its signing key are named by its id', () => {
  expect(uriOfEndpoint('d', id)).toBe(`keymgr:d:keymgr:kacls-endpoint:${id}`)
  expect(signingPurpose(id)).toEqual(['kacls-endpoint', id])
})
