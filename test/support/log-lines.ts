/**
 * Runs before each test file: log lines of modules in this process are written with `console`, which the runner shows
 * for failed tests.
 */
const CAUGHT = Symbol.for('keymgr.log-lines')
const stdout: NodeJS.WriteStream & { [CAUGHT]?: true } = process.stdout

const isLogLine = (text: string | Uint8Array): text is string =>
  typeof text === 'string' && /^\{("_aws":.*)?"level":"/.test(text)

type Done = (error?: Error | null) => void

if (stdout[CAUGHT] === undefined) {
  stdout[CAUGHT] = true
  const write = stdout.write.bind(stdout)
  stdout.write = (text: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done): boolean => {
    if (!isLogLine(text)) return typeof encoding === 'function' ? write(text, encoding) : write(text, encoding, done)
    console.log(text.trimEnd()) // eslint-disable-line no-console -- the runner's
    return true
  }
}
