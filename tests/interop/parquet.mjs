// SPDX-License-Identifier: GPL-3.0-or-later
// Reads Parquet files with hyparquet and prints what it found, for parquet.py:
//
//   node parquet.mjs NODE_MODULES <QUESTIONS
//
// A question is a line {"path", "columns" (or null), "ranges": [[from, to]...]}
// and its answer a line {"rows", "groups", "schema", "values": [range][column]}.
import fs from 'node:fs'
import { pathToFileURL } from 'node:url'

const modules = process.argv[2]
const load = (path) => import(pathToFileURL(`${modules}/${path}`))
const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } =
  await load('hyparquet/src/node.js')
const { compressors } = await load('hyparquet-compressors/src/index.js')

// What JSON cannot say.
function plain(value) {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (ArrayBuffer.isView(value)) return Array.from(value, plain)
  return Array.isArray(value) ? value.map(plain) : value
}

async function answer({ path, columns, ranges }) {
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const values = []
  for (const [rowStart, rowEnd] of ranges) {
    const rows = await parquetReadObjects({
      file, metadata, columns: columns ?? undefined, rowStart, rowEnd,
      compressors, utf8: false,
    })
    const names = columns ?? Object.keys(rows[0])
    values.push(Object.fromEntries(
      names.map((name) => [name, rows.map((row) => plain(row[name]))])))
  }
  return {
    rows: plain(metadata.num_rows),
    groups: metadata.row_groups.map((g) => plain(g.num_rows)),
    codecs: [...new Set(metadata.row_groups.flatMap(
      (g) => g.columns.map((c) => c.meta_data.codec)))],
    schema: metadata.schema.map((e) => ({
      name: e.name, type: e.type ?? null, length: e.type_length ?? null,
      repetition: e.repetition_type ?? null, logical: e.logical_type ?? null,
    })),
    values,
  }
}

for (const line of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  let said
  try {
    said = await answer(JSON.parse(line))
  } catch (error) {
    said = { error: String(error) }
  }
  console.log(JSON.stringify(said))
}
