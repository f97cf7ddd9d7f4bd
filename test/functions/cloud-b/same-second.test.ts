import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { CLOUD_B, useCloudB, VAULT } from './cloud-b.ts'

const tests = useCloudB()

const param = { keys: { kty: 'EC' }, secrets: () => ({ value: randomBytes(12).toString('hex') }) }
const bodyOf = {
  keys: (name: string) => ({ key_name: name, key_vault: VAULT, cloud_b_param: param.keys }),
  secrets: (name: string) => ({ secret_name: name, key_vault: VAULT, cloud_b_param: param.secrets() }),
}

// Ids are random: in some of the names the older version has the higher one.
test.each(['secrets', 'keys'] as const)(
  'of two versions of %s from one second, one is the latest, whichever is changed',
  async (kind) => {
    const { admin } = tests()
    const at = `${CLOUD_B}/${kind}`
    const ofName = kind === 'keys' ? 'key_name' : 'secret_name'
    for (let n = 0; n < 6; n++) {
      const name = `${kind}-${n}`
      const made: any[] = []
      for (let version = 0; version < 2; version++) made.push(await admin.ok('POST', at, bodyOf[kind](name)))
      const latest = async (query = ''): Promise<string[]> => {
        const { resources } = await admin.ok('GET', `${at}?${ofName}=${name}${query}`)
        expect(resources).toHaveLength(query === '' ? 2 : resources.length)
        return resources.filter(({ is_latest }: any) => is_latest).map(({ id }: any) => id as string)
      }
      expect(await latest()).toHaveLength(1)
      for (const { id } of made) {
        const changed = await admin.ok('PATCH', `${at}/${id as string}`, { tags: { n: String(n) } })
        const now = await latest()
        expect(now).toHaveLength(1)
        expect(changed.is_latest).toBe(now[0] === id)
        expect(await latest('&version=-1')).toEqual(now)
      }
    }
  },
)
