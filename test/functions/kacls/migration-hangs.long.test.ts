import { expect, test } from 'vitest'
import { expectNoHang } from '../../support/hang.ts'
import { refused, useKacls } from './kacls.ts'
import { usePeer } from './peer.ts'

const kacls = useKacls()
const peer = usePeer()

test('a call to a service that never answers, or too slowly, ends after ten seconds', async () => {
  const endpoint = await kacls().create()
  const addresses = [`${peer().origin}/silent`, `${peer().origin}/dripping`]
  await kacls().put(endpoint.id as string, 'rewrap-configuration', { kacls_base_url: addresses })
  let drips: NodeJS.Timeout | undefined
  peer().answer = (response, path) => {
    if (!path.startsWith('/dripping')) return
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"key":')
    drips = setInterval(() => response.write(' '), 200)
  }
  const started = performance.now()
  const answers = await Promise.all(
    addresses.map((original_kacls_url) =>
      kacls().migration(endpoint, 'rewrap', 'migrator', { original_kacls_url, wrapped_key: 'AAAA' }),
    ),
  )
  clearInterval(drips)
  for (const answered of answers) expect(answered).toEqual(refused(502))
  expectNoHang(started) // the function's limit is 15 seconds
})
