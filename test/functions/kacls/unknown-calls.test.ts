import { beforeAll, expect, test } from 'vitest'
import { refused, useKacls } from './kacls.ts'

const SUITE = 'https://client-side-encryption.google.com'

const kacls = useKacls()
let endpoint: any
beforeAll(async () => {
  endpoint = await kacls().create()
})

test.each(['nonsense', 'Wrap', 'wrap2', 'constructor'])(
  'a page of the suite can read that %s is no call',
  async (word) => {
    const answered = await kacls().send('POST', kacls().at(endpoint, word), {}, { origin: SUITE })
    expect(answered).toEqual(refused(404))
    expect(answered.headers).toMatchObject({ 'access-control-allow-origin': SUITE, vary: 'Origin' })
  },
)

test('a page of another origin gets no permission to read the answer', async () => {
  const { headers } = await kacls().send(
    'POST',
    kacls().at(endpoint, 'nonsense'),
    {},
    { origin: 'https://else.example.test' },
  )
  expect(headers).not.toHaveProperty('access-control-allow-origin')
})

test('actions of administrators ask for a token of this service, and answer in its form', async () => {
  const { status, body } = await kacls().send('POST', kacls().at(endpoint, 'enable'))
  expect({ status, body }).toMatchObject({ status: 401, body: { type: expect.stringContaining('urn:keymgr:problem') } })
})
