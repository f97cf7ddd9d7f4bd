import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { exactly, type Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'
import { assertStatus, bareClient, listOf, NO_CONTEXT, read, startService, sumOf, tableCallsOf } from './service.ts'

/**
 * GET of one local key through the whole handler, against the GetItem that it needs: at most 1.5, and exactly one read.
 */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  try {
    const { vault, event, administrator } = service
    const body = { name: 'bench', algorithm: 'aes', size: 256, labels: { purpose: 'bench' } }
    const made = await vault(await event('POST', '/api/v1/vault/keys2', { body, as: administrator }), NO_CONTEXT)
    const { id } = read(made, 201) as { id: string }
    const get = () => event('GET', `/api/v1/vault/keys2/${id}`, { as: administrator })

    const { counts, calls } = await tableCallsOf(service, get, 200)
    const request = calls().find(({ operation }) => operation === 'GetItem')?.request
    if (request === undefined) throw new Error('The handler read nothing')
    const input = request as unknown as ConstructorParameters<typeof GetItemCommand>[0]
    const client = bareClient()
    const outcome = await compare({
      ours: {
        run: async (times) => {
          for (let at = 0; at < times; at++) assertStatus(await vault(await get(), NO_CONTEXT), 200)
        },
      },
      bare: {
        run: async (times) => {
          for (let at = 0; at < times; at++) await client.send(new GetItemCommand(input))
        },
      },
      rounds: 31,
      turns: 8,
      calls: 40,
    })
    client.destroy()
    return [
      { name: 'get key / GetItem', measured: outcome.ratio, promise: { atMost: 1.5 }, note: versus(outcome) },
      {
        name: 'get key: table reads',
        measured: exactly(sumOf(counts)),
        promise: { exactly: 1 },
        note: listOf(counts),
      },
    ]
  } finally {
    await service.stop()
  }
}
