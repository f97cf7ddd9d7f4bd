import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { createLogSubscription } from '../../../../infra/local/stand-ins/log-subscription.ts'

/** A subscription to `xks`, and the messages of each delivery. */
function subscribed(refuses = false) {
  const deliveries: any[][] = []
  const subscription = createLogSubscription({
    of: ['xks'],
    now: () => new Date(1_700_000_000_000),
    deliver: (event) => {
      const { data } = (event as { awslogs: { data: string } }).awslogs
      const { messageType, logEvents } = JSON.parse(gunzipSync(Buffer.from(data, 'base64')).toString())
      expect(messageType).toBe('DATA_MESSAGE')
      deliveries.push(logEvents as any[])
      return refuses ? Promise.reject(new Error('refused')) : Promise.resolve()
    },
  })
  return {
    subscription,
    deliveries,
    take: (text: string, source = 'xks') => subscription.take({ source, text, warns: false }),
  }
}

const MARKED = '{"audit":true}'

test('marked lines are handed over as they are, each under an id of its own and with its time', async () => {
  const { subscription, deliveries, take } = subscribed()
  take(MARKED)
  take('{"audit":true,"n":2}')
  await subscription.delivered()
  expect(deliveries).toEqual([
    [
      { id: expect.any(String), timestamp: 1_700_000_000_000, message: MARKED },
      { id: expect.any(String), timestamp: 1_700_000_000_000, message: '{"audit":true,"n":2}' },
    ],
  ])
  expect(new Set(deliveries.flat().map(({ id }) => id)).size).toBe(2)
})

test.each(['{"used":"an id"}', '{"figures":"[]"}'])('so is a line that tells %s', async (line) => {
  const { subscription, deliveries, take } = subscribed()
  take(line)
  await subscription.delivered()
  expect(deliveries.flat().map(({ message }) => message)).toEqual([line])
})

test('other lines, and lines of the function that they go to, are not', async () => {
  const { subscription, deliveries, take } = subscribed()
  for (const text of ['{"audit":false}', '{"audit":"true"}', '{}', '{"audit":true', 'audit', '']) take(text)
  take(MARKED, 'triggers')
  take(MARKED, 'keymgr')
  await subscription.delivered()
  expect(deliveries).toEqual([])
})

test('a delivery has at most a hundred lines, and none is lost or repeated', async () => {
  const { subscription, deliveries, take } = subscribed()
  for (let n = 0; n < 250; n++) take(JSON.stringify({ audit: true, n }))
  await Promise.all([subscription.delivered(), subscription.delivered()])
  await subscription.delivered()
  expect(deliveries.map(({ length }) => length)).toEqual([100, 100, 50])
  expect(deliveries.flat().map(({ message }) => JSON.parse(message as string).n)).toEqual([...Array(250).keys()])
})

test('lines are delivered while it runs, and the rest when it ends', async () => {
  const { subscription, deliveries, take } = subscribed()
  const end = subscription.run()
  take(MARKED)
  await expect.poll(() => deliveries.length).toBe(1)
  take(MARKED)
  await end()
  expect(deliveries.flat()).toHaveLength(2)
})

test('a failed delivery does not stop later ones', async () => {
  const { subscription, deliveries, take } = subscribed(true)
  take(MARKED)
  await subscription.delivered()
  take(MARKED)
  await subscription.delivered()
  expect(deliveries).toHaveLength(2)
})
