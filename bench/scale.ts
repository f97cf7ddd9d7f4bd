/**
 * `npm run bench -- --quick`: sizes and rounds that only show that each bench works. Its verdicts are printed but
 * decide nothing.
 */
export const isQuick = process.argv.includes('--quick')

export const scaled = (full: number, quick: number): number => (isQuick ? quick : full)
