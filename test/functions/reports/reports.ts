import { expect } from 'vitest'
import type { CloudASimulator } from '../../../infra/simulators/cloud-a/simulator.ts'
import type { Answered } from '../../support/service.ts'
import { REGION, type CloudATests } from '../cloud-a/cloud-a.ts'
import type { Holder } from '../vault/vault.ts'

export const REPORTS = '/v1/keymgr/cloud-a/reports'

/** Pauses of a flow end at once. */
export const AT_ONCE = { flowPauseMs: () => 1 } as const

/** A report on the entry `main`, one of its regions, from the log of the account's trail. */
export const onMain = ({ account }: CloudATests, name: string, more: object = {}): any => ({
  name,
  cloud_a_params: [{ kms: 'main', region: REGION, log_group: `trail-${account.id}` }],
  ...more,
})

/** API calls of a user of reports. */
export const reportsOf = ({ service }: CloudATests, who: Holder) => {
  const get = (id: string): Promise<any> => who.ok('GET', `${REPORTS}/${id}`)
  const create = (body: object): Promise<any> => who.ok('POST', REPORTS, body)
  return {
    get,
    create,
    tryGet: (id: string): Promise<Answered> => who.call('GET', `${REPORTS}/${id}`),
    tryCreate: (body: object): Promise<Answered> => who.call('POST', REPORTS, body),
    list: (query = ''): Promise<any> => who.ok('GET', `${REPORTS}${query}`),
    contents: (id: string, query = ''): Promise<any> => who.ok('GET', `${REPORTS}/${id}/contents${query}`),
    tryContents: (id: string, query = ''): Promise<Answered> => who.call('GET', `${REPORTS}/${id}/contents${query}`),
    download: (id: string): Promise<Answered> => who.call('GET', `${REPORTS}/${id}/download`),
    remove: (id: string): Promise<Answered> => who.call('DELETE', `${REPORTS}/${id}`),
    /** A report after its end. */
    made: async (body: object): Promise<any> => {
      const { id } = await create(body)
      await service.deployment.flows.idle()
      return get(id as string)
    },
  }
}

/** Makes all reads of a log wait. @returns a function that releases them */
export function holdLogs({ cloud }: CloudATests): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const remove = cloud.inject({ fault: 'observe', service: 'logs', after: () => promise })
  return () => {
    remove()
    resolve(undefined)
  }
}

/** Adds entries to a trail, one per second from a time, on some keys in turn. */
export function seedTrail(
  cloud: CloudASimulator,
  account: string,
  region: string,
  {
    count,
    from,
    keyIds,
    users = ['alice', 'bob'],
  }: { count: number; from: Date; keyIds: readonly string[]; users?: readonly string[] },
): void {
  const describe = (n: number) => ({
    at: new Date(from.getTime() + n * 1_000),
    operation: ['Decrypt', 'Encrypt', 'GenerateDataKey'][n % 3] ?? '',
    keyId: keyIds[n % keyIds.length] ?? '',
    user: users[n % users.length] ?? '',
  })
  cloud.seedTrail({ account, region, count, describe })
}

/** A page of contents, reduced to these fields. */
export const fieldsOf = ({ resources }: any, ...fields: string[]): unknown[] =>
  resources.map((row: any) => (fields.length === 1 ? row[fields[0] ?? ''] : fields.map((field) => row[field])))

/** Lines of a text with their cells, according to RFC 4180. */
export function cellsOf(text: string): string[][] {
  expect(text.endsWith('\r\n')).toBe(true)
  const lines: string[][] = [[]]
  let cell = ''
  let isQuoted = false
  const endCell = (): void => {
    lines.at(-1)?.push(cell)
    cell = ''
  }
  for (let at = 0; at < text.length; at++) {
    const one = text[at] ?? ''
    if (isQuoted && one === '"' && text[at + 1] === '"') cell += text[++at] ?? ''
    else if (one === '"') isQuoted = !isQuoted
    else if (!isQuoted && one === ',') endCell()
    else if (!isQuoted && one === '\r' && text[at + 1] === '\n') {
      endCell()
      lines.push([])
      at++
    } else cell += one
  }
  return lines.slice(0, -1)
}
