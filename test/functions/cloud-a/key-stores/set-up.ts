import { DescribeCustomKeyStoresCommand } from '@aws-sdk/client-kms'
import { beforeAll } from 'vitest'
import { REGION, useCloudA } from '../cloud-a.ts'
import { prepareStores, SERVED, storesOf } from '../key-stores.ts'

export const tests = useCloudA(SERVED)
export const stores = () => storesOf(tests().admin)

beforeAll(() => prepareStores(tests()))

/** The cloud's own description of its stores in a region, by name. */
export async function inCloud(region: string = REGION): Promise<Map<string, any>> {
  const { CustomKeyStores = [] } = await tests().client(region).send(new DescribeCustomKeyStoresCommand({}))
  return new Map(CustomKeyStores.map((store) => [store.CustomKeyStoreName ?? '', store]))
}
