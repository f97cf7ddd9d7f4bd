import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const LOG = new URL('../../../shared/base/log.ts', import.meta.url).href

/** Runs code with `log` and `writes`, the chunks that reached standard output, in a process of its own. */
function outputOf(code: string): string {
  const script = `
    import { log } from ${JSON.stringify(LOG)}
    const writes = []
    const write = process.stdout.write.bind(process.stdout)
    process.stdout.write = (chunk) => (writes.push(chunk), write(chunk))
    ${code}`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '--eval', script]
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout
}

const messagesIn = (output: string): string[] =>
  output
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { message: string }).message)

test('lines of one turn are written together, in their order, before the next turn', () => {
  const output = outputOf(`
    await new Promise(setImmediate)
    log('info', 'first', {})
    await undefined
    log('error', 'second', {})
    await new Promise(setImmediate)
    log('info', String(writes.length), {})`)
  expect(messagesIn(output)).toEqual(['first', 'second', '1'])
})

test('a line is written before an error ends the process', () => {
  expect(messagesIn(outputOf("log('error', 'the last', {}); throw new Error('ended')"))).toEqual(['the last'])
  expect(messagesIn(outputOf("log('info', 'left', {}); process.exit()"))).toEqual(['left'])
})

test('many lines of one turn do not gather in memory', () => {
  const output = outputOf(`
    for (let at = 0; at < 1_000; at++) log('info', 'x'.repeat(1_000), {})
    const early = writes.length
    await new Promise(setImmediate)
    log('info', early > 10 ? 'early' : 'late', {})`)
  expect(messagesIn(output).at(-1)).toBe('early')
})
