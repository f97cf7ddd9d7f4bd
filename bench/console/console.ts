import { ROOT_DOMAIN_ID } from '../../shared/base/ids.ts'
import type { Figure } from '../figure.ts'
import { scaled } from '../scale.ts'
import { seedKeys } from '../seed-keys.ts'
import { assertStatus, NO_CONTEXT, startService } from '../service.ts'
import { startBarePage } from './bare-page.ts'
import { startBrowser } from './browser.ts'
import { firstList } from './first-list.ts'
import { longList } from './long-list.ts'

const KEYS = scaled(100_000, 3_000)

/** Times that a user of the console waits, and rows that the browser holds. */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  const browser = await startBrowser()
  const bare = await startBarePage(service.deployment.baseUrl)
  try {
    const body = { name: 'template', algorithm: 'aes', size: 256 }
    const made = await service.event('POST', '/api/v1/vault/keys2', { body, as: service.administrator })
    assertStatus(await service.vault(made, NO_CONTEXT), 201)
    await seedKeys(ROOT_DOMAIN_ID, 'template', KEYS - 1)
    return [await firstList(browser, bare.endpoint), ...(await longList(browser, bare.endpoint, KEYS))]
  } finally {
    await browser.close()
    await bare.stop()
    await service.stop()
  }
}
