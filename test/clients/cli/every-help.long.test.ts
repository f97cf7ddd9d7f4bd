import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { useCommandLine } from '../../support/command-line.ts'

/** Every command has a help text. Each is a separate process. */
const keymgr = useCommandLine()
const AT_ONCE = 4

test('every command has help', async () => {
  const committed = fs
    .readFileSync(new URL('commands.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const commands = committed.map((line) => line.slice(0, line.indexOf(':')).replace('<service>', 'syslogs').split(' '))
  const rest = [...commands]
  const next = async (): Promise<void> => {
    for (let words = rest.pop(); words !== undefined; words = rest.pop()) {
      const help = await keymgr.done(...words, '--help')
      expect(help).toMatch(/^keymgr /)
      expect(help).toMatch(/\nExample:\n {2}keymgr /)
      expect(help).not.toMatch(/undefined|\[object/)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
  expect(commands.length).toBeGreaterThan(500)
})
